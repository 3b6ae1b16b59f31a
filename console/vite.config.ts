import react from "@vitejs/plugin-react";
import { dirname, join } from "node:path";
import { defineConfig, type Rolldown } from "vite";

/** `npm run dev` forwards all requests except the console's files to this server. */
const SERVER = process.env["MILLRACE_URL"] ?? "http://127.0.0.1:8080";
const SERVED =
  "^/(api|apps|docs|hooks|oauth|sso|password|invitations|downloads|calendars|openapi|\\.well-known)";

/** A module that this many screens load becomes part of the shared file. */
const PARTS_SHARED_MIN = 12;
/** The entry points of the first screen. */
const FIRST = ["src/main.tsx", "src/home/home.tsx"].map((path) => join(import.meta.dirname, path));

/** Lucide's list of all icons, and the imports from it. */
const ICONS = /\/lucide-react\.mjs$/;
const TAKEN = /import\s*\{([^}]*)\}\s*from\s*"lucide-react"/g;

/** The files that every page begins with. */
const LOADED = /\/(frame|react|tanstack|rolldown-runtime|createLucideIcon)-[^/]*$/;

type Modules = Pick<Rolldown.PluginContext, "getModuleInfo">;

/** Returns the modules of the first screen, and of the icons only the used ones. */
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

/** Puts the modules that the first screen does not need into a file of this name. */
function nameLater(name: string): Rolldown.CodeSplittingNameFunction {
  let first: Set<string> | undefined;
  return (id, modules) => {
    first ??= listFirst(modules);
    return first.has(id) ? null : name;
  };
}

/** Puts the modules of every page into one file, which is three kilobytes smaller than several files. */
function nameFrame(name: string): Rolldown.CodeSplittingNameFunction {
  let frame: Set<string> | undefined;
  return (id, modules) => {
    frame ??= listFirst(modules, FIRST.slice(0, 1));
    return frame.has(id) ? name : null;
  };
}

export default defineConfig({
  root: import.meta.dirname,
  // Relative, because a proxy can serve the console below any path.
  base: "./",
  plugins: [react()],
  build: {
    target: "baseline-widely-available",
    // The content security policy does not allow `data:` addresses.
    assetsInlineLimit: 0,
    modulePreload: {
      polyfill: false,
      // Every page has already loaded these files, so screens do not list them again.
      resolveDependencies: (_, files) => files.filter((file) => !LOADED.test(file)),
    },
    manifest: "manifest.json",
    reportCompressedSize: false,
    rolldownOptions: {
      // Reads only the used icons of two thousand.
      experimental: { lazyBarrel: true },
      output: {
        // Libraries are separate files, which stay in the browser's cache when a new version is deployed.
        codeSplitting: {
          // Otherwise a shared file would repeat modules of the first screen.
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
            // One file per shared icon and component would be 68 requests for the desk, instead of 11.
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
