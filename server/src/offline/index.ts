/**
 * Tests a folder without a server (ADR 0122), with the interpreter, the expressions and the sandbox. Recorded runs are
 * replayed like in `code.test_workflow`, and artifacts run like in `code.test_artifact`. It makes no connections and
 * stores nothing. `offline/build.ts` bundles it for the CLI.
 */
import { randomBytes } from "node:crypto";
import {
  findExpectationErrors,
  Fixture,
  rehearseFixtures,
} from "#domains/runs/rehearsal/fixture.ts";
import type { FixtureResult } from "#domains/runs/rehearsal/fixture.ts";
import { PackArtifact } from "#domains/sdk/artifacts/pack.ts";
import { linkModules } from "#domains/sdk/modules/linked-modules.ts";
import { StandInIds } from "#domains/sdk/packs/project/names.ts";
import { NewTestCaseBody, type TestResult } from "#domains/sdk/tests/test-case.ts";
import { testUnsavedArtifact } from "#domains/sdk/tests/unsaved-artifact.ts";
import { findStructureErrors, parseExpressions } from "#domains/workflows/checks/check-workflow.ts";
import type { Definition } from "#domains/workflows/definition/index.ts";
import type { Caller } from "#kernel/access/caller.ts";
import { MasterKey } from "#kernel/access/crypto.ts";
import { Clock } from "#kernel/clock.ts";
import type { Platform } from "#kernel/contract.ts";
import { ExpressionPool } from "#kernel/expression/pool/pool.ts";
import { Failure, type FieldError } from "#kernel/operation/failure.ts";
import { Sandbox } from "#kernel/sandbox/sandbox.ts";
import { Validator } from "#kernel/schema/validator.ts";
import type { Static, TSchema } from "typebox";
import { n8nLibrary } from "#domains/workflows/n8n/runtime/script-library.ts";
import { offlineContributions } from "./contributions.ts";

/** The results of a test, or the reason why it can't run. */
export type Tested<T> =
  | { readonly results: readonly T[] }
  | { readonly errors: readonly FieldError[] };

/** Resources of a folder by kind, in pack format. */
export type FolderItems = Readonly<Record<string, readonly unknown[] | undefined>>;

const WORKSPACE = { key: "00000000-0000-0000-0000-000000000000", id: "ws_offline" };
const NOBODY = { id: "usr_offline", name: "offline", type: "user" } as const;

/** Tests the workflows and artifacts of a folder. Must be closed, because it owns processes. */
export class OfflineTests {
  readonly #platform: Platform;
  readonly #caller: Caller;
  readonly #artifacts: readonly Static<typeof PackArtifact>[];

  constructor(items: FolderItems, environment: Caller["environment"]) {
    const expressions = new ExpressionPool({ processes: 1 });
    const sandbox = new Sandbox({ libraries: [n8nLibrary] });
    const settings = { baseUrl: "https://offline.invalid" };
    const masterKey = new MasterKey(randomBytes(32));
    const contributions = offlineContributions(readVariables(items, environment));
    const log = {
      error: (entry: { readonly err: unknown }) => process.emitWarning(String(entry.err)),
    };
    const parts = { contributions, expressions, sandbox, settings, masterKey, log };
    // The parts used by a rehearsal and the sandbox. The host rejects everything else.
    this.#platform = { clock: new Clock(), ...parts } as unknown as Platform;
    this.#caller = {
      actor: NOBODY,
      principal: { id: NOBODY.id, roles: [] },
      workspace: WORKSPACE,
      environment,
      permissions: new Set(),
      credential: undefined,
      requestId: "offline",
      address: "",
      origin: "",
      cause: { correlationId: "offline", depth: 0 },
    } as unknown as Caller;
    this.#artifacts = (items["artifacts"] ?? []).filter((one) => ARTIFACT.is(one));
  }

  /** Replays recorded runs with a definition. Null for runs skipped for lack of time. */
  async testWorkflow(
    definition: unknown,
    fixtures: readonly unknown[],
  ): Promise<Tested<FixtureResult | null>> {
    const malformed = fixtures.flatMap((one, at) => FIXTURE.errors(one, `/fixtures/${at}`));
    if (malformed.length > 0) return { errors: malformed };
    const ids = new StandInIds(new Map());
    const entered: unknown = ids.enter(definition);
    await parseExpressions(this.#platform, entered);
    const errors = findStructureErrors(this.#platform, entered);
    if (errors.length > 0) return { errors: errors.map(beneath("/definition")) };
    // Both were validated above.
    const [checked, recorded] = [entered as Definition, fixtures as readonly Fixture[]];
    const unknown = findExpectationErrors(this.#platform, checked, recorded);
    if (unknown.length > 0) return { errors: unknown };
    const results = await rehearseFixtures(this.#platform, this.#caller, {
      definition: checked,
      fixtures: ids.enter(recorded),
    });
    return { results: ids.leave(results.map((result) => result ?? null)) };
  }

  /** Runs test cases with an artifact, which can import the folder's modules. */
  async testArtifact(artifact: unknown, cases: readonly unknown[]): Promise<Tested<TestResult>> {
    const errors = [
      ...ARTIFACT.errors(artifact, "/artifact"),
      ...cases.flatMap((one, at) => CASE.errors(one, `/cases/${at}`)),
    ];
    if (errors.length > 0) return { errors };
    const { environment } = this.#caller;
    const { sandbox } = this.#platform;
    try {
      const results = await testUnsavedArtifact(
        {
          sandbox,
          link: (sources, unsaved) => linkModules(async () => [], sources, unsaved),
          owner: WORKSPACE.key,
          facts: { workspace: { id: WORKSPACE.id, slug: "", name: "" }, environment },
        },
        {
          // Both were validated above.
          artifact: artifact as Static<typeof PackArtifact>,
          beside: this.#artifacts,
          cases: cases as readonly Static<typeof NewTestCaseBody>[],
        },
      );
      return { results: results.map(toShown) };
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      return { errors: error.particulars.errors ?? [{ path: "", message: error.message }] };
    }
  }

  /** Ends its processes. */
  async close(): Promise<void> {
    await Promise.all([this.#platform.expressions.close(), this.#platform.sandbox.close()]);
  }
}

/** In the format of a server's response. */
function toShown({ runtimeError, ...result }: TestResult): TestResult {
  if (!runtimeError) return { ...result, runtimeError };
  const { name, message } = runtimeError;
  return { ...result, runtimeError: { name, message } };
}

/** Validates the content of files. */
class FileCheck {
  readonly #validator: Validator;

  constructor(schema: TSchema) {
    this.#validator = new Validator(schema, "body");
  }

  errors(value: unknown, path: string): FieldError[] {
    const checked = this.#validator.check(value);
    return "errors" in checked ? checked.errors.map(beneath(path)) : [];
  }

  is(value: unknown): value is Static<typeof PackArtifact> {
    return this.errors(value, "").length === 0;
  }
}

const FIXTURE = new FileCheck(Fixture);
const ARTIFACT = new FileCheck(PackArtifact);
const CASE = new FileCheck(NewTestCaseBody);

function beneath(place: string): (error: FieldError) => FieldError {
  return ({ path, message }) => ({ path: `${place}${path}`, message });
}

/** The variables of a folder, with the values of an environment. */
function readVariables(
  items: FolderItems,
  environment: Caller["environment"],
): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    (items["variables"] ?? []).flatMap((one) => {
      const { name, value, environments } = Object(one) as {
        readonly name?: string;
        readonly value?: unknown;
        readonly environments?: Readonly<Record<string, unknown>>;
      };
      return name === undefined ? [] : [[name, environments?.[environment] ?? value ?? null]];
    }),
  );
}
