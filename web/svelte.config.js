import { vitePreprocess } from "@sveltejs/vite-plugin-svelte";

export default {
  preprocess: vitePreprocess(),
  // Class names from what the styles say, not from where the checkout lies: a build is the same everywhere.
  compilerOptions: { runes: true, cssHash: ({ hash, css }) => `s-${hash(css)}` },
};
