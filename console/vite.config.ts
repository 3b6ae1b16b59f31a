import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

/** The server that `npm run dev` sends everything but the console's own files to. */
const SERVER = process.env["MILLRACE_URL"] ?? "http://127.0.0.1:8080";
const SERVED =
  "^/(api|apps|docs|hooks|oauth|sso|password|invitations|downloads|calendars|openapi|\\.well-known)";

export default defineConfig({
  root: import.meta.dirname,
  // Whatever path a proxy serves us under: the page says it, and files find each other by themselves.
  base: "./",
  plugins: [react()],
  build: {
    target: "baseline-widely-available",
    // The policy allows no `data:` address.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    manifest: "manifest.json",
    reportCompressedSize: false,
    rolldownOptions: {
      output: {
        // Cut by how often they change: a release of ours leaves the libraries in the browser's cache.
        codeSplitting: {
          groups: [
            { name: "react", test: /node_modules\/(react|react-dom|scheduler)\// },
            { name: "tanstack", test: /node_modules\/@tanstack\// },
          ],
        },
      },
    },
  },
  server: { proxy: { [SERVED]: { target: SERVER, changeOrigin: true } } },
});
