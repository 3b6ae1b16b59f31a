import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pino } from "pino";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import {
  broughtFolder,
  cacheFolder,
  CONSOLE_BUILD,
  draftFolder,
  findBuild,
  hashSources,
  recallSources,
  removeOldBuilds,
  storeBuild,
} from "../build-cache.mjs";
import { readSettings } from "#kernel/settings.ts";
import { openConsole } from "./open-console.ts";

const SECOND = 1_000;
const HOUR = 3_600 * SECOND;
const LONG_AGO = new Date(0);

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "millrace-builds-"));
  mkdirSync(join(folder, "src/inner"), { recursive: true });
  write("src/a.ts", "a");
  write("src/inner/b.ts", "b");
});
afterEach(() => rmSync(folder, { recursive: true }));

const build = () => ({ name: "mill", sources: [join(folder, "src")], program: "", tool: "" });

function write(path: string, text: string): void {
  writeFileSync(join(folder, path), text);
  utimesSync(join(folder, path), LONG_AGO, LONG_AGO);
}

/** Stores a build of these sources, like a separate process. */
function store(sources: string): string {
  const kept = cacheFolder(build(), folder, sources);
  const draft = draftFolder(kept);
  mkdirSync(draft, { recursive: true });
  writeFileSync(join(draft, "main.mjs"), "");
  storeBuild(build(), draft, kept, sources);
  return kept;
}

test("the source hash changes exactly when a source changes", () => {
  const hashes = [hashSources(build())];
  const change = (act: () => void): void => {
    act();
    hashes.push(hashSources(build()));
  };
  // With equal size and time.
  change(() => write("src/a.ts", "A"));
  change(() => write("src/inner/c.ts", ""));
  change(() => rmSync(join(folder, "src/inner/b.ts")));
  expect(new Set(hashes).size).toBe(4);
  change(() => write("src/a.test.ts", "a"));
  change(() => utimesSync(join(folder, "src/a.ts"), new Date(), new Date()));
  expect(new Set(hashes).size).toBe(4);
});

test("the cached source hash matches the sources after any changes", () => {
  const note = join(folder, "cache/mill.sources");
  const recall = (): string => recallSources(build(), folder);
  const expectTrue = (): void => expect(recall()).toBe(hashSources(build()));
  expectTrue();
  expect(existsSync(note)).toBe(false);
  mkdirSync(join(folder, "cache"));
  // A further write could have the same time.
  expectTrue();
  expect(existsSync(note)).toBe(false);
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + HOUR });
  expectTrue();
  expect(readFileSync(note, "utf8")).toContain(hashSources(build()));
  // With equal size and time.
  write("src/a.ts", "A");
  expectTrue();
  renameSync(join(folder, "src/a.ts"), join(folder, "src/z.ts"));
  expectTrue();
  rmSync(join(folder, "src/inner/b.ts"));
  expectTrue();
  const [state = ""] = readFileSync(note, "utf8").split("\n");
  writeFileSync(note, `${state}\nnoted by us`);
  expect(recall()).toBe("noted by us");
  chmodSync(note, 0o666);
  expectTrue();
  vi.useRealTimers();
});

test("a build is only used for its own sources, when complete, and unless others can write there", () => {
  const sources = hashSources(build());
  const find = (): string | undefined => findBuild(build(), folder, sources);
  const kept = cacheFolder(build(), folder, sources);
  mkdirSync(draftFolder(kept), { recursive: true });
  mkdirSync(kept);
  expect(find()).toBe(undefined);
  expect(store(sources)).toBe(kept);
  expect(find()).toBe(kept);
  chmodSync(kept, 0o777);
  expect(find()).toBe(undefined);
  chmodSync(kept, 0o755);
  chmodSync(join(kept, "main.mjs"), 0o664);
  expect(find()).toBe(undefined);
  // It is built again, and files that others may have written are not kept.
  writeFileSync(join(kept, "main.mjs"), "written by others");
  store(sources);
  expect(find()).toBe(kept);
  expect(readFileSync(join(kept, "main.mjs"), "utf8")).toBe("");
  write("src/a.ts", "A");
  expect(findBuild(build(), folder, hashSources(build()))).toBe(undefined);
});

test("keeps the first of two equal builds and drops a build if sources changed during the build", () => {
  const sources = hashSources(build());
  const kept = store(sources);
  writeFileSync(join(kept, "loaded-by-the-first"), "");
  store(sources);
  expect(readdirSync(kept)).toContain("loaded-by-the-first");
  expect(existsSync(draftFolder(kept))).toBe(false);
  write("src/a.ts", "A");
  expect(() => store(sources)).toThrow("The sources changed during the build.");
});

test("other users cannot write to a build, regardless of the umask", () => {
  const sources = hashSources(build());
  const kept = cacheFolder(build(), folder, sources);
  const draft = draftFolder(kept);
  mkdirSync(join(draft, "parts"), { recursive: true });
  for (const name of ["main.mjs", "parts/late.mjs"]) writeFileSync(join(draft, name), "");
  for (const name of ["main.mjs", "parts/late.mjs", "parts"]) chmodSync(join(draft, name), 0o777);
  storeBuild(build(), draft, kept, sources);
  expect(findBuild(build(), folder, sources)).toBe(kept);
});

test("starts without a console if the build cannot be stored", async () => {
  writeFileSync(join(folder, "cache"), "in the way");
  const settings = readSettings({ MILLRACE_DATA_DIR: folder });
  const log = pino({ level: "silent" });
  const found = await openConsole(settings, log);
  expect([undefined, broughtFolder(CONSOLE_BUILD)]).toContain(found);
});

test("keeps the last used builds and drafts that may be in use", () => {
  const sources = hashSources(build());
  const kept = store(sources);
  const cache = join(folder, "cache");
  const others = {
    "mill-1": 3,
    "mill-2": 1,
    "mill-3": 2,
    "mill-4.7": 0.5,
    "mill-5.8": 2,
    other: 9,
  };
  for (const [name, hours] of Object.entries(others)) {
    mkdirSync(join(cache, name));
    const usedAt = new Date(Date.now() - hours * HOUR);
    utimesSync(join(cache, name), usedAt, usedAt);
  }
  removeOldBuilds(kept);
  expect(readdirSync(cache).toSorted()).toEqual(
    [kept.slice(cache.length + 1), "mill-2", "mill-4.7", "other"].toSorted(),
  );
});
