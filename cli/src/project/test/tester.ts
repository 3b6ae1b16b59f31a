/**
 * Who carries out the tests of a folder: this machine, by the interpreter and the sandbox that come with the command
 * line, or a server. Both take the same code, and say the same.
 */
import { ApiError, type Client, type Schemas } from "@millrace/client";
import type { Items } from "../files.ts";

/** The result of one fixture. */
export type WorkflowResult = NonNullable<
  Awaited<ReturnType<Client["code"]["test_workflow"]>>["data"]["results"][number]
>;
type ArtifactResult = Schemas["ArtifactTestResult"];

/** What tests gave, or why they can't be made. */
export type Tested<T> =
  | { readonly results: readonly T[] }
  | { readonly errors: readonly { readonly path: string; readonly message: string }[] };

/** Carries out the tests of one folder; to be closed, since processes may belong to it. */
export interface Tester {
  /** Null for a fixture that there was no time for. */
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

/** Tests here, with the variables and modules of the folder. Nothing is connected to. */
export async function openOffline(items: Items, environment: string): Promise<Tester> {
  const path = import.meta.url.endsWith(".ts")
    ? "../../../../server/src/offline/index.ts"
    : "../../../offline/index.mjs";
  const { OfflineTests } = (await import(new URL(path, import.meta.url).href)) as OfflineModule;
  return new OfflineTests(items, environment);
}

/** Tests on a server, which keeps nothing of it. */
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

/** What the server refused is a test that failed; anything else is none. */
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
