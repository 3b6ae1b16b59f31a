import { basename } from "node:path";
import { createArtifact, findOrphans, readFolder } from "../artifacts/folder.ts";
import { pull, push, type Pushed, test, type Tested } from "../artifacts/sync.ts";
import { develop } from "../artifacts/watch.ts";
import { type Commands, connect, type Options, untilStopped, write } from "../command.ts";
import { CommandError } from "../usage.ts";

/** Commands for local development of artifacts. */
export const artifactCommands: Commands = {
  "artifacts pull": {
    run: async (options) => {
      const paths = await pull(connect(options), folderOf(options), options.module);
      return { lines: paths.map((path) => `pulled ${path}`), value: paths, ok: true };
    },
  },
  "artifacts push": {
    run: async (options) => {
      const { force } = options;
      const folder = folderOf(options);
      const all = chosen(folder, options.module);
      const results = await push(connect(options), all, { dryRun: options["dry-run"], force });
      const orphans = findOrphans(folder).map((path) => ({
        path,
        what: "refused" as const,
        problems: [`it has no card file. Create one with: millrace artifacts new ${nameOf(path)}`],
      }));
      const told = [...results, ...orphans];
      if (told.length === 0) throw new CommandError(`No artifacts in ${folder}.`);
      return { lines: told.flatMap(pushLines), value: told, ok: told.every(went) };
    },
  },
  "artifacts new": {
    words: ["NAME"],
    run: async ({ module = "main", ...options }, name = "") => {
      if (!/^[A-Za-z][\w-]{0,99}$/.test(name)) {
        throw new CommandError("Enter a name, for example: millrace artifacts new discount", 2);
      }
      const path = createArtifact(folderOf(options), name, module);
      const words = `created ${path}.ts and ${path}.json. Edit them, then push.`;
      return { lines: [words], value: path, ok: true };
    },
  },
  "artifacts test": {
    run: async (options) => {
      const all = chosen(folderOf(options), options.module);
      const results = await test(connect(options), all);
      const ok = results.every(({ failed }) => failed === 0);
      return { lines: results.flatMap(testLines), value: results, ok };
    },
  },
  "artifacts dev": {
    run: async (options) => {
      const folder = folderOf(options);
      write(`Watching ${folder}. Press Ctrl-C to stop.`);
      const client = connect({ ...options, environment: options.environment ?? "development" });
      await develop(client, folder, {
        signal: untilStopped(),
        tell: ({ pushed, tested }) => {
          for (const line of [...pushed.flatMap(pushLines), ...tested.flatMap(testLines)])
            write(line);
        },
      });
      return { lines: [], value: null, ok: true };
    },
  },
};

function chosen(folder: string, moduleKey: string | undefined) {
  return readFolder(folder).filter(
    ({ card }) => moduleKey === undefined || card.moduleKey === moduleKey,
  );
}

function folderOf({ folder = "artifacts" }: Pick<Options, "folder">): string {
  return folder;
}

function nameOf(path: string): string {
  return basename(path).replace(/\.[tj]s$/, "");
}

function went({ what }: Pushed): boolean {
  return what !== "conflict" && what !== "refused";
}

function pushLines({ path, what, problems = [] }: Pushed): string[] {
  const words =
    what === "conflict" ? "also changed on the server. Pull it, or push with --force." : what;
  return [`${path}: ${words}`, ...problems.map((problem) => `  ${problem}`)];
}

function testLines({ path, passed, failed, failures }: Tested): string[] {
  return [
    passed + failed === 0
      ? `${path}: no test cases`
      : `${path}: ${passed} passed, ${failed} failed`,
    ...failures.flatMap(({ name, reasons }) => [
      `  ${name}`,
      ...reasons.map((reason) => `    ${reason}`),
    ]),
  ];
}
