/** Described services by n8n node type. Files are read on demand. */
import { readdirSync, readFileSync } from "node:fs";
import { compileService } from "./compile-service.ts";
import type { ServiceFile } from "./service-file.ts";
import type { Service } from "./service-table.ts";

const FOLDER = new URL("../../../connectors/catalogue/n8n/", import.meta.url);
const loaded = new Map<string, Service>();
let names: ReadonlySet<string> | undefined;

/** The names of all files. The folder is read once. */
export function listServiceFiles(): ReadonlySet<string> {
  names ??= new Set(
    readdirSync(FOLDER)
      .filter((name) => name.endsWith(".json"))
      .map((name) => name.slice(0, -".json".length)),
  );
  return names;
}

/** Reads the file of a node. */
export function readServiceFile(name: string): ServiceFile | { readonly sameAs: string } {
  // A test validates every file against the schema.
  return JSON.parse(readFileSync(new URL(`${name}.json`, FOLDER), "utf8")) as ServiceFile;
}

/** The service of a node or a tool node. */
export function findService(type: string): Service | undefined {
  const plain = type.replace(/Tool$/, "");
  const known = loaded.get(plain);
  if (known) return known;
  const name = plain.slice(plain.lastIndexOf(".") + 1);
  if (!listServiceFiles().has(name)) return undefined;
  const file = readServiceFile(name);
  const service =
    "sameAs" in file
      ? findService(file.sameAs)
      : (file.type ?? name) === plain
        ? compileService(file)
        : undefined;
  if (service) loaded.set(plain, service);
  return service;
}
