import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { BASE, decay, height, lifted, lodMicro, MICRO, naturalTier, rint, slowness, type Lens, type Tier } from "../src/lib/score";

interface Case extends Lens {
  name: string;
  decay: number[];
  score: number[];
  natural: number[];
  tier: number[];
}
const golden = JSON.parse(readFileSync(new URL("golden/lod.json", import.meta.url), "utf8")) as {
  relevance: number[]; days: number[]; count: number[]; floor: number[]; cases: Case[];
};

describe("the engine's golden vectors", () => {
  for (const lens of golden.cases) {
    it(`gives the same scores and tiers with ${lens.name}`, () => {
      const wrong: string[] = [];
      golden.relevance.forEach((s, i) => {
        const d = decay(golden.days[i], slowness(golden.count[i]), lens.lambda), micro = lodMicro(s, d, lens.alpha), natural = naturalTier(micro, lens);
        if (Math.abs(d - lens.decay[i]) > 1e-14) wrong.push(`row ${i}: decay ${d}, engine ${lens.decay[i]}`);
        if (micro / MICRO !== lens.score[i]) wrong.push(`row ${i}: score ${micro / MICRO}, engine ${lens.score[i]}`);
        if (natural !== lens.natural[i]) wrong.push(`row ${i}: natural ${natural}, engine ${lens.natural[i]}`);
        if (lifted(natural, golden.floor[i]) !== lens.tier[i]) wrong.push(`row ${i}: tier, engine ${lens.tier[i]}`);
      });
      expect(wrong).toEqual([]);
      expect(golden.relevance.length).toBeGreaterThan(200);
    });
  }
});

describe("rounding", () => {
  it("goes to the even one in the middle, as numpy does", () => {
    expect([0.5, 1.5, 2.5, 2.4, 2.6, 599999.5, 600000.5].map(rint)).toEqual([0, 2, 2, 2, 3, 600000, 600000]);
  });
});

describe("height", () => {
  const lenses: Lens[] = [
    { alpha: 0.9, lambda: 0.03, theta1: 0.6, theta2: 0.3, theta3: 0.05 },
    { alpha: 0.5, lambda: 0.03, theta1: 0.6, theta2: 0.3, theta3: 0 },
    { alpha: 0.5, lambda: 0.03, theta1: 1, theta2: 0.5, theta3: 0.5 },
    { alpha: 0.5, lambda: 0.03, theta1: 0, theta2: 0, theta3: 0 },
  ];
  it("lies in the band of the tier, for every score, lens and floor", () => {
    const wrong: string[] = [];
    for (const lens of lenses) {
      for (let micro = 0; micro <= MICRO; micro += 997) {
        for (const floor of [0, 1, 2, 3]) {
          const score = micro / MICRO, tier = lifted(naturalTier(micro, lens) as Tier, floor), y = height(score, lens, floor);
          if (y < BASE[tier] - 1e-9 || y > BASE[tier + 1] + 1e-9) wrong.push(`${score} floor ${floor}: ${y} is not in tier ${tier}`);
        }
      }
    }
    expect(wrong).toEqual([]);
  });
  it("never falls as the score rises, and the sheets stand still", () => {
    const lens = lenses[0];
    let last = -1, falls = 0;
    for (let score = 0; score <= 1; score += 0.0005) {
      const y = height(score, lens);
      if (y < last) falls++;
      last = y;
    }
    expect(falls).toBe(0);
    for (const l of lenses.slice(0, 1)) expect([l.theta3, l.theta2, l.theta1, 1].map((s) => height(s, l))).toEqual([BASE[1], BASE[2], BASE[3], BASE[4]]);
  });
});
