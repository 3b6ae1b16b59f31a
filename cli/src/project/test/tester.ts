/**
 * Runs the tests of a folder: on this machine, with the interpreter and sandbox of the CLI, or on a server. Both use
 * the same code and give the same results.
 */
import { ApiError, type Client, type Schemas } from "@millrace/client";
import type { Items } from "../files.ts";

/** The result of one fixture. */
export type WorkflowResult = NonNullable<
  Awaited<ReturnType<Client["code"]["test_workflow"]>>["data"]["results"][number]
>;
type ArtifactResult = Schemas["ArtifactTestResult"];

/** Test results, or the reason why the tests can't run. */
export type Tested<T> =
  | { readonly results: readonly T[] }
  | { readonly errors: readonly { readonly path: string; readonly message: string }[] };

/** Runs the tests of one folder. Must be closed, because it can own processes. */
export interface Tester {
  /** Null for a fixture that was skipped for lack of time. */
  testWorkflow(
    definition: unknown,
    fixtures: readonly unknown[],
  ): Promise<Tested<WorkflowResult | null>>;
  testArtifact(artifact: unknown, cases: readonly unknown[]): Promise<Tested<ArtifactResult>>;
  close(): Promise<void>;
}

interface OfflineModule {
  readonly OfflineTests: new (items: Items, environment: string) => Tester;
}

/** Tests on this machine, with the variables and modules of the folder. Makes no connections. */
export async function openOffline(items: Items, environment: string): Promise<Tester> {
  const path = import.meta.url.endsWith(".ts")
    ? "../../../../server/src/offline/index.ts"
    : "../../../offline/index.mjs";
  const { OfflineTests } = (await import(new URL(path, import.meta.url).href)) as OfflineModule;
  return new OfflineTests(items, environment);
}

/** Tests on a server, which stores nothing. */
export function openOnServer({ code }: Client): Tester {
  return {
    testWorkflow: (definition, fixtures) =>
      orRefusal(() =>
        code.test_workflow({
          body: { definition: definition as never, fixtures: fixtures as never },
        }),
      ),
    testArtifact: (artifact, cases) =>
      orRefusal(() =>
        code.test_artifact({ body: { artifact: artifact as never, cases: cases as never } }),
      ),
    close: async () => undefined,
  };
}

/** A rejection by the server is a failed test. Other errors are thrown. */
async function orRefusal<T>(
  ask: () => Promise<{ readonly data: { readonly results: readonly T[] } }>,
): Promise<Tested<T>> {
  try {
    return { results: (await ask()).data.results };
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 422) throw error;
    const { errors, message } = error;
    return { errors: errors.length > 0 ? errors : [{ path: "", message }] };
  }
}
