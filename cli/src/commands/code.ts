import { type Commands, connect, type Options, untilStopped, write } from "../command.ts";
import { developProject } from "../project/develop.ts";
import type { Format, Items } from "../project/files.ts";
import { applyProject, describeChanges, pullProject } from "../project/project.ts";
import { recordFixture } from "../project/test/fixture.ts";
import { describeTests, toJunit, writeJunit } from "../project/test/report.ts";
import { testProject } from "../project/test/test-project.ts";
import { openOffline, openOnServer, type Tester } from "../project/test/tester.ts";
import { writeTypes } from "../project/workspace-types.ts";
import { CommandError } from "../usage.ts";

/** The exit code for scripts, like `git diff --exit-code` and `terraform plan`. */
const PLAN_HAS_CHANGES = 2;

/** Commands for a workspace as a folder. */
export const codeCommands: Commands = {
  pull: {
    run: async (options) => {
      const { folder = ".", kinds } = options;
      const format = readFormat(options);
      const paths = await pullProject(connect(options), folder, { kinds, format });
      return { lines: paths.map((path) => `pulled ${path}`), value: paths, ok: true };
    },
  },
  types: {
    run: async (options) => {
      const path = await writeTypes(connect(options), options.folder ?? ".");
      return { lines: [`wrote ${path}`], value: { path }, ok: true };
    },
  },
  plan: {
    run: async (options) => {
      const { folder = ".", force, prune } = options;
      const planned = await applyProject(connect(options), folder, { isPlan: true, force, prune });
      const hasChanges = planned.changed + planned.kept > 0;
      return {
        lines: describeChanges(planned),
        value: planned,
        ok: true,
        ...(hasChanges && { exitCode: PLAN_HAS_CHANGES }),
      };
    },
  },
  apply: {
    run: async (options) => {
      const { folder = ".", force, prune } = options;
      const applied = await applyProject(connect(options), folder, { isPlan: false, force, prune });
      return { lines: describeChanges(applied), value: applied, ok: applied.kept === 0 };
    },
  },
  fixture: {
    words: ["RUN-ID"],
    run: async (options, runId = "") => {
      const { folder = ".", name, steps } = options;
      const path = await recordFixture(connect(options), folder, { runId, name, steps });
      return { lines: [`recorded ${path}`], value: { path }, ok: true };
    },
  },
  test: {
    words: ["NAME?"],
    run: async (options, only) => {
      const { folder = ".", update, junit, environment = "production" } = options;
      const openTester = async (items: Items): Promise<Tester> =>
        options.server ? openOnServer(connect(options)) : openOffline(items, environment);
      const results = await testProject(openTester, folder, { only, isUpdate: update });
      if (junit !== undefined) writeJunit(junit, toJunit(results));
      const ok = results.every(({ passed }) => passed);
      return { lines: describeTests(results), value: results, ok };
    },
  },
  dev: {
    run: async (options) => {
      const { folder = ".", force, prune, environment = "development" } = options;
      write(`Watching ${folder} for ${environment}. Press Ctrl-C to stop.`);
      const client = connect({ environment });
      const signal = untilStopped();
      await developProject(client, folder, { signal, tell: write, force, prune });
      return { lines: [], value: null, ok: true };
    },
  },
};

function readFormat({ format = "yaml" }: Pick<Options, "format">): Format {
  if (format === "yaml" || format === "ts") return format;
  throw new CommandError("--format must be yaml or ts.", 2);
}
