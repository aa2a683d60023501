// What the tests ask the page, by name: Page.probe("name", argument). Runs before the page's own code.
window.probes = {
  /** How many colours a screenshot (base64 PNG) has. */
  async colours(data) {
    const context = await probes.drawn(data), { width, height } = context.canvas;
    return new Set(new Uint32Array(context.getImageData(0, 0, width, height).data.buffer)).size;
  },

  async drawn(data) {
    const bytes = Uint8Array.from(atob(data), (c) => c.charCodeAt(0));
    const image = await createImageBitmap(new Blob([bytes], { type: "image/png" }));
    const context = new OffscreenCanvas(image.width, image.height).getContext("2d");
    context.drawImage(image, 0, 0);
    return context;
  },

  /** As many times as that the browser is ready to draw. */
  async frames(times) {
    for (let i = 0; i < times; i++) await new Promise(requestAnimationFrame);
  },

  /** Rows that are seen, best first. */
  best() {
    const { seen, measured } = lodmem.session;
    return [...seen].sort((a, b) => measured.micro[b] - measured.micro[a] || a - b);
  },

  /** Memories that no other one hides: id and place in the canvas. */
  open() {
    const { plane, session } = lodmem, out = [];
    for (const row of probes.best().slice(0, 60)) {
      const at = plane.where(row);
      if (at && plane.at(at.x, at.y) === row) out.push([session.plane.id[row], at.x, at.y]);
    }
    return out;
  },

  /** Pixels between where a row appears and what is picked there. */
  missed(row) {
    const at = lodmem.plane.where(row), there = lodmem.plane.where(lodmem.plane.at(at.x, at.y));
    return Math.hypot(there.x - at.x, there.y - at.y);
  },

  selected() {
    const s = lodmem.session, row = s.selectedRow;
    return { score: s.measured.micro[row] / 1e6, s: s.relevance[row], place: probes.best().indexOf(row) };
  },

  /** The query's beam: whether it is there, and where it stands, in units of the map. */
  beam() {
    const { plane, session } = lodmem, { x, y, z } = plane.beam.light.position, unit = plane.place(0).x / session.plane.x[0];
    return { visible: plane.beam.visible, at: [x / unit, y, z / unit] };
  },

  /** From the camera to the selected memory, and to the query's beam along the ground. */
  away: () => lodmem.plane.look.camera.position.distanceTo(lodmem.plane.place(lodmem.session.selectedRow)),
  beside() {
    const { look, beam } = lodmem.plane, { x, z } = look.camera.position;
    return Math.hypot(x - beam.light.position.x, z - beam.light.position.z);
  },

  /** Lines from the selected memory. */
  lines: () => (lodmem.plane.beam.lines?.geometry.getAttribute("position").count ?? 0) / 2,

  /** Texts of the cells of each row. */
  cells: (selector) => [...document.querySelectorAll(selector)].map((row) => [...row.cells].map((cell) => cell.textContent.trim())),

  /** What can be seen and used, but has not been reached: elements that are not in `reached`. */
  unreached() {
    const usable = "a[href], button:not(:disabled), input:not(:disabled), select:not(:disabled), textarea:not(:disabled), summary, [tabindex]";
    const seen = (e) => e.checkVisibility({ visibilityProperty: true }) && !e.matches("[tabindex='-1']");
    return [...document.querySelectorAll(usable)].filter((e) => seen(e) && !reached.has(e)).map((e) => e.outerHTML.slice(0, 120));
  },

  /** Eight squares on top of the page: the tiers' colours as texts have them, then as points have them; horizon first. */
  swatches() {
    const box = document.createElement("div"), points = lodmem.plane.points.uniforms.uTiers.value;
    Object.assign(box.style, { position: "fixed", left: "0", top: "0", zIndex: "99", display: "flex" });
    for (let i = 0; i < 8; i++) {
      const square = document.createElement("i"), triple = points[i % 4].toArray().map((part) => Math.round(part * 255));
      square.className = `t${i % 4}`;
      Object.assign(square.style, { width: "20px", height: "20px", background: i < 4 ? "currentColor" : `rgb(${triple})` });
      box.append(square);
    }
    document.body.append(box);
  },

  /** Colours of a screenshot (base64 PNG) at some places of its width, in the middle of its height. */
  async pixels({ data, at }) {
    const context = await probes.drawn(data), { width, height } = context.canvas;
    const row = context.getImageData(0, Math.floor(height / 2), width, 1).data;
    return at.map((x) => [...row.slice(4 * x, 4 * x + 3)]);
  },

  texts: (selector) => [...document.querySelectorAll(selector)].map((e) => e.textContent),

  boxes: (selector) =>
    [...document.querySelectorAll(selector)].map((e) => {
      const b = e.getBoundingClientRect();
      return [b.left, b.top, b.right, b.bottom];
    }),

  /** How many points the card was told to mark: 1 hollow, 2 wrong. */
  marked(mark) {
    const bits = lodmem.plane.points.points.geometry.getAttribute("bits").array;
    return Array.from(bits).filter((x, i) => i % 4 === 2 && x & mark).length;
  },

  /** From now on `moves` tells how far points had glided at each frame. */
  watchMoves() {
    window.moves = [];
    lodmem.plane.onFrame(() => moves.push(lodmem.plane.points.uniforms.uMove.value));
  },

  /** Memories that were there at the moment looked from, but used after it. */
  usedLater() {
    const { plane, now } = lodmem.session;
    return Array.from(plane.last).filter((last, row) => plane.created[row] <= now && last > now + 1e-3).length;
  },

  /** Names of a labelled column that the seen rows have. */
  seen(column) {
    const { plane, seen } = lodmem.session, lists = { kind: "kinds", status: "statuses", agent: "agents", space: "spaces" };
    return [...new Set(Array.from(seen, (row) => plane.header.dictionaries[lists[column]][plane[column][row]]))].sort();
  },

  /** When the newest of the seen memories was made. */
  made: () => lodmem.session.seen.reduce((latest, row) => Math.max(latest, lodmem.session.plane.created[row]), -Infinity),

  uses: () => [lodmem.session.plane, lodmem.session.current].map((p) => p.count.reduce((a, b) => a + b, 0)),

  compared: () =>
    Object.fromEntries(
      [...document.querySelectorAll("#compare tbody tr")].map((r) => [...r.cells].map((c) => c.textContent)).map(([k, ...v]) => [k, v]),
    ),

  /** Values of a column for the rows that the table shows, from above. */
  column(name) {
    const rows = [...document.querySelectorAll(".space .row")].sort((a, b) => a.ariaRowIndex - b.ariaRowIndex);
    const { plane } = lodmem.session;
    return rows.map((r) => Number(plane[name][plane.id.indexOf(Number(r.id.slice(4)))]));
  },

  /** Memories that wait for a place on the map. */
  waiting: () => [...lodmem.session.plane.id].filter((_, row) => lodmem.session.plane.waits[row]),

  places: (ids) => ids.map((id) => lodmem.session.plane.id.indexOf(id)).map((row) => [lodmem.session.plane.x[row], lodmem.session.plane.y[row]]),

  /** Where the corners of the lowest and the uppermost sheet appear. */
  rims() {
    const edge = 1.12, p = lodmem.plane.projection(), m = p.matrix;
    return [-edge, edge].flatMap((x) => [-edge, edge].flatMap((z) => [0, 2.6].map((y) => {
      const at = (row) => m[row] * x * 5 + m[4 + row] * y + m[8 + row] * z * 5 + m[12 + row];
      return [(at(0) / at(3) + 1) * 0.5 * p.width, (1 - at(1) / at(3)) * 0.5 * p.height];
    })));
  },

  hover(id) {
    lodmem.screen.hovered = lodmem.session.plane.id.indexOf(id);
  },

  /** What axe finds in a part of the page, by these rules or by all. */
  axe: ({ within, rules }) => axe.run(within || document, { resultTypes: ["violations"], ...(rules && { runOnly: rules }) }),

  /** Wall milliseconds of frames of all memories, or as they are drawn in motion, each with another alpha and ended by reading
   *  back a pixel. */
  draw(frames, moving = false) {
    lodmem.plane.points.thin(moving);
    const { plane, session } = lodmem, gl = plane.canvas.getContext("webgl2"), pixel = new Uint8Array(4), walls = [];
    for (let i = 0; i < frames; i++) {
      plane.setLens({ ...session.lens, alpha: (i % 10) / 10 }, session.now, session.scoreOf);
      const began = performance.now();
      plane.draw();
      gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, pixel);
      walls.push(performance.now() - began);
    }
    return walls;
  },

  drawMoving: (frames) => probes.draw(frames, true),

  /** Milliseconds to find what is under the cursor. */
  pick() {
    const began = performance.now();
    for (let i = 0; i < 5; i++) lodmem.plane.at(400 + i, 300);
    return (performance.now() - began) / 5;
  },

  /** Scores, tiers and heights of n made up memories, by the graphics card (transform feedback) and by the page. */
  parity({ n, now, lens }) {
    const gl = document.createElement("canvas").getContext("webgl2"), f = lodmem.formulas;
    const chance = (i, k) => (Math.imul(i + 1, k) >>> 0) / 2 ** 32;
    const [alpha, lambda, theta1, theta2, theta3] = lens, look = { alpha, lambda, theta1, theta2, theta3 };
    const [s, last, slow, lowest] = [0, 0, 0, 0].map(() => new Float32Array(n));
    const micro = new Uint32Array(n), page = new Uint8Array(n);
    for (let i = 0; i < n; i++) {
      const count = Math.floor(chance(i, 3812015801) ** 6 * 200);
      s[i] = chance(i, 2654435761);
      last[i] = now - chance(i, 1597334677) ** 3 * 700;
      slow[i] = f.slowness(count);
      lowest[i] = chance(i, 958689617) < 0.02 ? 1 + (i % 3) : 0;
      micro[i] = f.lodMicro(s[i], f.decay(now - last[i], f.slowness(count), lambda), alpha);
      page[i] = f.lifted(f.naturalTier(micro[i], look), lowest[i]);
    }
    const vertex = `#version 300 es
      ${f.LOD_GLSL}
      in float s, last, slow, lowest;
      out float score, tier, height;
      void main() {
        int low = int(lowest);
        score = lodScore(s, last, slow);
        tier = float(lodTier(score, low));
        height = lodHeight(score, low);
        gl_Position = vec4(0);
        gl_PointSize = 1.0;
      }`;
    const fragment = "#version 300 es\nprecision highp float; out vec4 o; void main() { o = vec4(1); }";
    const program = gl.createProgram();
    for (const [kind, text] of [[gl.VERTEX_SHADER, vertex], [gl.FRAGMENT_SHADER, fragment]]) {
      const shader = gl.createShader(kind);
      gl.shaderSource(shader, text);
      gl.compileShader(shader);
      if (!gl.getShaderParameter(shader, gl.COMPILE_STATUS)) throw new Error(gl.getShaderInfoLog(shader));
      gl.attachShader(program, shader);
    }
    gl.transformFeedbackVaryings(program, ["score", "tier", "height"], gl.INTERLEAVED_ATTRIBS);
    gl.linkProgram(program);
    gl.useProgram(program);
    const set = (name, ...v) => gl[`uniform${v.length}f`](gl.getUniformLocation(program, name), ...v);
    set("uAlpha", alpha);
    set("uLambda", lambda);
    set("uNow", now);
    set("uTheta", theta1, theta2, theta3);
    for (const [name, values] of Object.entries({ s, last, slow, lowest })) {
      gl.bindBuffer(gl.ARRAY_BUFFER, gl.createBuffer());
      gl.bufferData(gl.ARRAY_BUFFER, values, gl.STATIC_DRAW);
      const at = gl.getAttribLocation(program, name);
      gl.enableVertexAttribArray(at);
      gl.vertexAttribPointer(at, 1, gl.FLOAT, false, 0, 0);
    }
    gl.bindBufferBase(gl.TRANSFORM_FEEDBACK_BUFFER, 0, gl.createBuffer());
    gl.bufferData(gl.TRANSFORM_FEEDBACK_BUFFER, n * 12, gl.STREAM_READ);
    gl.enable(gl.RASTERIZER_DISCARD);
    gl.beginTransformFeedback(gl.POINTS);
    gl.drawArrays(gl.POINTS, 0, n);
    gl.endTransformFeedback();
    const got = new Float32Array(3 * n);
    gl.getBufferSubData(gl.TRANSFORM_FEEDBACK_BUFFER, 0, got);
    if (gl.getError()) throw new Error("the card reports an error");
    const pack = (array) => {
      const bytes = new Uint8Array(array.buffer);
      let text = "";
      for (let i = 0; i < bytes.length; i += 32768) text += String.fromCharCode(...bytes.subarray(i, i + 32768));
      return btoa(text);
    };
    return { got: pack(got), micro: pack(micro), page: pack(page) };
  },
};
