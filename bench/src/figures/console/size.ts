import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Figure } from "../../figure.ts";

const TARGET_KB = 160;
const FIRST_SCREEN = "src/home/home.tsx";

interface Chunk {
  readonly file: string;
  readonly isEntry?: boolean;
  readonly imports?: readonly string[];
}

/** The gzipped JavaScript that a browser loads before the first screen. */
export const consoleSize: Figure = {
  name: "console-size",
  async measure(rig) {
    await rig.startPlainProduct();
    const folder = await rig.builtConsole();
    const manifest = JSON.parse(readFileSync(join(folder, "manifest.json"), "utf8")) as Record<
      string,
      Chunk
    >;
    const entry = Object.keys(manifest).find((name) => manifest[name]?.isEntry);
    const chunks = new Set<string>();
    const include = (name: string): void => {
      if (chunks.has(name)) return;
      chunks.add(name);
      for (const imported of manifest[name]?.imports ?? []) include(imported);
    };
    for (const name of [entry ?? "", FIRST_SCREEN]) include(name);
    const sizes = [...chunks].map((name) => {
      const { file } = manifest[name] ?? { file: name };
      return { file, kilobytes: compressedBytes(join(folder, file)) / 1024 };
    });
    const kilobytes = sizes.reduce((sum, size) => sum + size.kilobytes, 0);
    // A guaranteed limit that does not depend on the machine's load.
    if (kilobytes > TARGET_KB) throw new Error(`The first route takes ${kilobytes.toFixed(1)} KB.`);
    return {
      ours: `${kilobytes.toFixed(1)} KB`,
      target: `≤ ${TARGET_KB} KB`,
      reached: true,
      notes: sizes.map((size) => `${size.file}: ${size.kilobytes.toFixed(1)} KB`),
      values: { kilobytes, sizes },
    };
  },
};

/** Files that are too small for compression are sent uncompressed. */
function compressedBytes(path: string): number {
  return (statSync(`${path}.gz`, { throwIfNoEntry: false }) ?? statSync(path)).size;
}
