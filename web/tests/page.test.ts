import { describe, expect, it } from "vitest";
import { EventParser } from "../src/lib/events";
import { csvCell, gathered, toCsv, toJson } from "../src/lib/export";
import { scrolling, TALLEST } from "../src/lib/tall";
import { age, brief, halfLife, lambdaAt, positionOf } from "../src/lib/format";
import { oneLine, pieces } from "../src/lib/text";
import { formatLink, NO_LINK, parseLink } from "../src/lib/url";

describe("the address", () => {
  const link = {
    ...NO_LINK, query: "a & b=c #1 ü", exclude: ["cats", "x y"], profile: "digest", lens: { alpha: 0.25, theta1: 0.7 }, k: 200, budget: 4000, offset: -30,
    selected: 482, view: "map" as const, tab: "audit" as const, revision: 12, flat: true,
    filters: { space: "acme/r", agents: ["a"], kinds: ["semantic"], status: ["stale"], tags: ["t1", "t2"], since: "2026-01-01", until: "", retrieved: "no" as const },
  };
  it("comes back as it was", () => expect(parseLink(formatLink(link))).toEqual(link));
  it("is empty for the usual view", () => expect(formatLink(NO_LINK)).toBe(""));
  it("takes nonsense as absent", () => {
    const got = parseLink("?a=2&l=-1&t1=abc&k=0&b=5&at=1e9&sel=-4&view=upside&tab=x&rev=1.5&used=maybe&x=%20");
    expect(got).toEqual(NO_LINK);
  });
  it("has no place for a token", () => expect(formatLink({ ...link, ...{ token: "secret" } })).not.toContain("secret"));
});

describe("memory text", () => {
  it("shows what would hide or turn other text around", () => {
    expect(pieces("plain\ttext\nhere")).toEqual([{ text: "plain\ttext\nhere", mark: false }]);
    expect(pieces("a\u202eb").map((p) => p.text)).toEqual(["a", "RLO", "b"]);
    expect(pieces("\u0007\u{e0041}").map((p) => [p.text, p.mark])).toEqual([["U+0007", true], ["U+E0041", true]]);
    expect(oneLine("a\u200b\u202e\n b  c")).toBe("a·· b c");
  });
  it("leaves joiners of scripts and emoji alone", () => expect(pieces("👩‍🚀 نمی‌خواهم")).toHaveLength(1));
});

describe("a list too high for a browser", () => {
  it("begins at the first row and ends at the last one, wherever the scroll bar ends", () => {
    const room = 213, whole = 25_000_000, { tall, pull } = scrolling(whole, room);
    expect(tall).toBe(TALLEST);
    expect((tall - room) * pull).toBeCloseTo(whole - room, 3);
  });
  it("is left as it is while it is not", () => expect(scrolling(TALLEST, 213)).toEqual({ tall: TALLEST, pull: 1 }));
});

describe("export", () => {
  it("disarms formulas and quotes what needs it", () => {
    expect(["=1+1", "+a", "@x", 'say "hi"', "a,b", "a\nb", -3, null, "plain"].map(csvCell)).toEqual(["'=1+1", "'+a", "'@x", '"say ""hi"""', '"a,b"', '"a\nb"', "-3", "", "plain"]);
  });
  it("names its parameters", () => {
    expect([...toCsv({ query: "a\nb", alpha: 0.9 }, ["id", "tier"], [[1, "full"]])].join("")).toBe('# query: "a\\nb"\r\n# alpha: 0.9\r\nid,tier\r\n1,full\r\n');
    for (const ids of [[], [7], [7, 8]]) {
      const text = [...toJson({ k: 5 }, ["id"], ids.map((id) => [id]))].join("");
      expect(JSON.parse(text)).toEqual({ parameters: { k: 5 }, items: ids.map((id) => ({ id })) });
    }
  });
  it("gather many rows into one file while the page goes on", async () => {
    const rows = Array.from({ length: 9001 }, (_, i) => [i]);
    let turns = 0;
    const turning = setInterval(() => turns++);
    const file = await gathered(toCsv({}, ["id"], rows), "text/csv");
    clearInterval(turning);
    expect(file.type).toBe("text/csv");
    expect((await file.text()).split("\r\n")).toEqual(["id", ...rows.map(String), ""]);
    expect(turns).toBeGreaterThan(0);
  });
});

describe("server-sent events", () => {
  it("come whole out of any pieces", () => {
    const stream = ': hi\n\nid: 5\nevent: change\ndata: {"a":1,\ndata: "b":2}\n\r\ndata:x\n\nevent: none\n\n';
    for (const size of [1, 2, 3, 7, 1000]) {
      const parser = new EventParser(), got = [];
      for (let i = 0; i < stream.length; i += size) got.push(...parser.feed(stream.slice(i, i + size)));
      expect(got).toEqual([{ event: "change", id: "5", data: '{"a":1,\n"b":2}' }, { event: "message", id: "5", data: "x" }]);
    }
  });
});

describe("numbers", () => {
  it("read well", () => {
    expect([0.5, 3.9, 45, 400, 1000].map(age)).toEqual(["12 h", "3 d", "45 d", "13.1 mo", "2.7 y"]);
    expect([7, 999, 1234, 45_678, 2_300_000].map(brief)).toEqual(["7", "999", "1.2k", "46k", "2.3M"]);
    expect(halfLife(0)).toBe("never fades");
    expect(halfLife(0.03)).toBe("half in 23 d");
  });
  it("lambda's slider goes there and back", () => {
    for (const lambda of [0, 0.0005, 0.03, 0.2, 1]) expect(lambdaAt(positionOf(lambda))).toBeCloseTo(lambda, 4);
  });
});
