import react from "@vitejs/plugin-react";
import { dirname, join } from "node:path";
import { defineConfig, type Rolldown } from "vite";

/** The server that `npm run dev` sends everything but the console's own files to. */
const SERVER = process.env["MILLRACE_URL"] ?? "http://127.0.0.1:8080";
const SERVED =
  "^/(api|apps|docs|hooks|oauth|sso|password|invitations|downloads|calendars|openapi|\\.well-known)";

/** Screens that load a module before it is one of the parts that all load as one file. */
const PARTS_SHARED_MIN = 12;
/** What is there before the first screen is. */
const FIRST = ["src/main.tsx", "src/home/home.tsx"].map((path) => join(import.meta.dirname, path));

/** Lucide's list of all icons, and what of it a module takes. */
const ICONS = /\/lucide-react\.mjs$/;
const TAKEN = /import\s*\{([^}]*)\}\s*from\s*"lucide-react"/g;

/** The files that every page begins with. */
const LOADED = /\/(frame|react|tanstack|rolldown-runtime|createLucideIcon)-[^/]*$/;

type Modules = Pick<Rolldown.PluginContext, "getModuleInfo">;

/** All that is imported before the first screen is there; of icons those that are taken. */
function listFirst(modules: Modules, screens = FIRST): Set<string> {
  const first = new Set(screens);
  const taken = new Set<string>();
  let icons: string | undefined;
  for (const id of first) {
    const info = modules.getModuleInfo(id);
    for (const imported of info?.importedIds ?? []) {
      if (ICONS.test(imported)) icons = imported;
      else first.add(imported);
    }
    for (const [, names = ""] of info?.code?.matchAll(TAKEN) ?? []) {
      for (const [name] of names.matchAll(/[A-Z]\w*/g)) taken.add(name);
    }
  }
  const list = (icons !== undefined && modules.getModuleInfo(icons)?.code) || "";
  for (const [, names = "", file = ""] of list.matchAll(/export \{([^}]*)\} from '\.\/([^']*)'/g)) {
    const isTaken = [...names.matchAll(/[A-Z]\w*/g)].some(([name]) => taken.has(name));
    if (isTaken) first.add(join(dirname(icons ?? ""), file));
  }
  return first;
}

/** Puts what the first screen does without into a file of this name. */
function nameLater(name: string): Rolldown.CodeSplittingNameFunction {
  let first: Set<string> | undefined;
  return (id, modules) => {
    first ??= listFirst(modules);
    return first.has(id) ? null : name;
  };
}

/** Puts what every page begins with into one file: cut into small ones it is three kilobytes more. */
function nameFrame(name: string): Rolldown.CodeSplittingNameFunction {
  let frame: Set<string> | undefined;
  return (id, modules) => {
    frame ??= listFirst(modules, FIRST.slice(0, 1));
    return frame.has(id) ? name : null;
  };
}

export default defineConfig({
  root: import.meta.dirname,
  // Whatever path a proxy serves us under: the page says it, and files find each other by themselves.
  base: "./",
  plugins: [react()],
  build: {
    target: "baseline-widely-available",
    // The policy allows no `data:` address.
    assetsInlineLimit: 0,
    modulePreload: {
      polyfill: false,
      // Every page has loaded these files before, and a list of them for each screen is long.
      resolveDependencies: (_, files) => files.filter((file) => !LOADED.test(file)),
    },
    manifest: "manifest.json",
    reportCompressedSize: false,
    rolldownOptions: {
      // Of two thousand icons only those that are used are read.
      experimental: { lazyBarrel: true },
      output: {
        // Cut by how often they change: a release of ours leaves the libraries in the browser's cache.
        codeSplitting: {
          // A part would take along what the first screen has as well.
          includeDependenciesRecursively: false,
          groups: [
            {
              name: "react",
              test: /node_modules\/(react|react-dom|scheduler|use-sync-external-store)\//,
            },
            { name: "tanstack", test: /node_modules\/@tanstack\// },
            {
              name: nameFrame("frame"),
              debugName: "frame",
              test: /(console|client)\/src\/|lucide-react\/dist\/esm\//,
              minShareCount: 2,
            },
            // Each shared icon and part was a file, and so a request: the desk had 68 of them, and has 11.
            {
              name: nameLater("icons"),
              debugName: "icons",
              test: /lucide-react\/dist\/esm\/icons\//,
              minShareCount: 2,
            },
            {
              name: nameLater("parts"),
              debugName: "parts",
              test: /console\/src\//,
              minShareCount: PARTS_SHARED_MIN,
            },
          ],
        },
      },
    },
  },
  server: { proxy: { [SERVED]: { target: SERVER, changeOrigin: true } } },
});
