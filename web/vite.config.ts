import { existsSync, readFileSync, rmSync } from "node:fs";
import { resolve } from "node:path";
import { svelte } from "@sveltejs/vite-plugin-svelte";
import type { Plugin } from "vite";
import { defineConfig } from "vitest/config";

const STATIC = "../lodmem/http_api/static";

/** The licences of what is bundled travel with it. */
function licences(): Plugin {
  return {
    name: "licences",
    generateBundle() {
      const parts = ["three", "svelte", "@fontsource-variable/ibm-plex-sans", "@fontsource/ibm-plex-mono"].map((name) => {
        const folder = resolve("node_modules", name);
        const { version } = JSON.parse(readFileSync(resolve(folder, "package.json"), "utf8")) as { version: string };
        const file = ["LICENSE", "LICENSE.md"].map((n) => resolve(folder, n)).find(existsSync);
        if (!file) throw new Error(`${name} has no licence file`);
        return `${name} ${version}\n\n${readFileSync(file, "utf8").trim()}\n`;
      });
      this.emitFile({ type: "asset", fileName: "licences.txt", source: parts.join(`\n${"-".repeat(80)}\n\n`) });
    },
  };
}

/** Empties only what a build made: nothing else lies in the folder's assets. */
function clean(): Plugin {
  return { name: "clean", apply: "build", buildStart: () => rmSync(resolve(process.env.LODMEM_WEB_OUT ?? STATIC, "assets"), { recursive: true, force: true }) };
}

export default defineConfig({
  base: "./",
  plugins: [svelte(), licences(), clean()],
  build: {
    outDir: process.env.LODMEM_WEB_OUT ?? STATIC,
    emptyOutDir: false,
    target: "es2023",
    cssTarget: ["chrome123", "firefox120", "safari17.5"],
    chunkSizeWarningLimit: 600,
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    sourcemap: false,
    reportCompressedSize: false,
    rolldownOptions: { output: { codeSplitting: { groups: [{ name: "three", test: /node_modules[\\/]three/ }] } } },
  },
  server: { proxy: { "/api": process.env.LODMEM_SERVER ?? "http://127.0.0.1:8765" } },
  test: { include: ["tests/**/*.test.ts"], environment: "node" },
});
