/** Runs templates in Millrace: imported, saved, published and started over HTTP. */
import { setTimeout as pause } from "node:timers/promises";
import { type Items, joinOutputs } from "./n8n-program.ts";
import type { Template } from "./template.ts";

// Responses are read dynamically.
type Answer = any;

/** The node outputs of a template here, and the error of a failed run. */
export interface Ran {
  readonly items: Items;
  readonly error?: string;
  /** The import's notes on nodes that differ. */
  readonly told: ReadonlyMap<string, string>;
}

/** The value of the secret chosen for all keys in templates. */
export const SECRET = "typed-into-the-template";

const WAIT_MS = 60_000;
const POLL_MS = 200;
const RUN_MAX_MS = 300_000;
const STEPS_PER_PAGE = 200;

export class Importer {
  readonly #ask: (line: string, body?: object) => Promise<Answer>;

  private constructor(url: string, headers: Record<string, string>) {
    this.#ask = (line, body) => send(url, line, body, headers);
  }

  static async signIn(url: string, password: string): Promise<Importer> {
    const account = { email: "admin@example.com", password };
    const { token } = await send(url, "POST /api/v1/auth/token", account, {});
    const importer = new Importer(url, {
      authorization: `Bearer ${token}`,
      "x-workspace": "default",
    });
    await importer.#ask("POST /api/v1/secrets", {
      name: "IMPORTED",
      value: SECRET,
    });
    return importer;
  }

  async run(workflow: Template): Promise<Ran | { readonly lost: string }> {
    const asked = { format: "n8n", workflow };
    const first = await this.#ask("POST /api/v1/workflows/import", asked);
    const bindings = Object.fromEntries(
      first.bindings.map(({ id, kind }: Answer) => [id, kind === "secret" ? "IMPORTED" : "name"]),
    );
    const { workflows } = await this.#ask("POST /api/v1/workflows/import", { ...asked, bindings });
    const [{ definition, report }] = workflows;
    const lost = report.find(({ status }: Answer) => status === "placeholder");
    if (lost) return { lost: `${lost.type} ${lost.reasons[0]}` };
    const { id } = await this.#ask("POST /api/v1/workflows", definition);
    await this.#ask(`POST /api/v1/workflows/${id}/publish`, {});
    const { runId } = await this.#ask(`POST /api/v1/workflows/${id}/trigger?wait=${WAIT_MS}`, {});
    const versions = new Map(
      (workflow.nodes as readonly Answer[]).map(({ name, typeVersion = 1 }) => [name, typeVersion]),
    );
    return this.#read(runId, report, versions);
  }

  async #read(
    runId: string,
    report: readonly Answer[],
    versions: ReadonlyMap<string, Answer>,
  ): Promise<Ran> {
    const steps: Answer[] = [];
    let run: Answer;
    // On a busy machine, a run can take longer than a request waits.
    const limit = performance.now() + RUN_MAX_MS;
    for (;;) {
      run = await this.#ask(`GET /api/v1/runs/${runId}?steps=0`);
      if (!["queued", "running", "waiting"].includes(run.status) || performance.now() > limit)
        break;
      await pause(POLL_MS);
    }
    do {
      const after = steps.length === 0 ? "" : `&afterStep=${encodeURIComponent(steps.at(-1).id)}`;
      run = await this.#ask(`GET /api/v1/runs/${runId}?steps=${STEPS_PER_PAGE}${after}`);
      steps.push(...run.trace.steps);
    } while (run.trace.truncated);
    const turns = Map.groupBy(
      steps.filter(({ status }) => status === "completed"),
      ({ nodeId }) => nodeId as string,
    );
    const names = Map.groupBy(report, ({ node }) => node as string);
    const items = [...names].flatMap(([node, lines]) => {
      const own = lines.flatMap(({ stepId }) => turns.get(stepId) ?? []);
      const [{ type, stepId }] = lines as [Answer];
      if (type === "splitInBatches" && turns.has(`${stepId}_batches`)) {
        const batches = turns.get(`${stepId}_batches`) ?? [];
        const given = batches.flatMap(({ output }) => output.flatMap(({ items }: Answer) => items));
        const done = joinOutputs(own.map(({ output }) => listsOf(output)))[0] ?? [];
        return [[node, versions.get(node) < 3 ? [given, done] : [done, given]] as const];
      }
      return own.length === 0
        ? []
        : [[node, joinOutputs(own.map(({ output }) => listsOf(output)))] as const];
    });
    const error =
      run.status === "completed"
        ? undefined
        : `${run.status} ${run.error?.message ?? ""} ${run.error?.stepId ?? ""}`;
    const told = report
      .filter(({ status }) => status === "approximated")
      .map(({ node, reasons }) => [node, reasons.join("; ")] as const);
    return { items: new Map(items), told: new Map(told), ...(error !== undefined && { error }) };
  }
}

async function send(
  url: string,
  line: string,
  body: object | undefined,
  headers: Record<string, string>,
): Promise<Answer> {
  const [method = "GET", path = "/"] = line.split(" ");
  const answer = await fetch(url + path, {
    method,
    headers: { ...headers, ...(body && { "content-type": "application/json" }) },
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${line} answered ${answer.status}: ${text.slice(0, 500)}`);
  return (JSON.parse(text) as { readonly data: Answer }).data;
}

/** The outputs of a step. Several outputs are `o0`, `o1` and so on. */
function listsOf(output: unknown): unknown[][] {
  if (Array.isArray(output)) return [output];
  const known = Object(output) as Readonly<Record<string, unknown>>;
  return Object.keys(known)
    .filter((name) => /^o\d+$/.test(name))
    .toSorted((one, other) => Number(one.slice(1)) - Number(other.slice(1)))
    .map((name) => known[name] as unknown[]);
}
