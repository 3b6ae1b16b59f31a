import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

/**
 * The portal's script and style, for pages that the server draws. They have fixed names, so that it knows them without
 * a manifest. The one form in it is the console's, drawn by Preact: a tenth of React, for people on a phone.
 */
export default defineConfig({
  root: import.meta.dirname,
  base: "./",
  publicDir: false,
  plugins: [react()],
  resolve: {
    alias: [
      { find: /^react-dom\/client$/, replacement: "preact/compat/client" },
      { find: /^react(-dom)?$/, replacement: "preact/compat" },
      { find: "react/jsx-runtime", replacement: "preact/jsx-runtime" },
      { find: "react/jsx-dev-runtime", replacement: "preact/jsx-runtime" },
    ],
  },
  build: {
    target: "baseline-widely-available",
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    emptyOutDir: false,
    cssCodeSplit: false,
    reportCompressedSize: false,
    rolldownOptions: {
      // Reads only the used icons of two thousand.
      experimental: { lazyBarrel: true },
      input: { portal: "src/portal/main.ts" },
      output: {
        entryFileNames: "portal.js",
        chunkFileNames: "assets/portal-[name]-[hash].js",
        assetFileNames: ({ names }) =>
          names[0]?.endsWith(".css") ? "portal.css" : "assets/[name]-[hash][extname]",
      },
    },
  },
});
