import type { Client } from "./client.ts";
import { type Receiver, SIGNING_SECRET } from "./receiver.ts";

/** The resources used by the load. */
export interface Furniture {
  /** Started by an event on the topic `orders`. */
  readonly reacting: string;
  /** Started manually. */
  readonly asked: string;
  /** Started every other second. */
  readonly timed: string;
  /** A scheduled job, once a minute. */
  readonly job: string;
}

/** The topics of each webhook. */
export const HOOKS: Readonly<Record<string, readonly string[]>> = {
  orders: ["record.*"],
  copies: ["record.created"],
  desk: ["incident.*", "sla.*"],
  messages: ["order.*"],
};

/** The interval of the workflow's schedule. */
export const TIMED_EVERY_MS = 2_000;
export const JOB_EVERY_MS = 60_000;

/** Creates the tables, webhooks, workflows, the policy and the job. */
export async function furnish(client: Client, receiver: Receiver): Promise<Furniture> {
  const post = poster(client);
  const number = { name: "number", type: "text", required: true, unique: true };
  const quantity = { name: "quantity", type: "integer" };
  await post("/api/v1/tables", { name: "Orders", columns: [number, quantity] });
  const n = { name: "n", type: "integer", required: true };
  await post("/api/v1/tables", { name: "Receipts", columns: [n, { name: "run", type: "text" }] });
  for (const [name, events] of Object.entries(HOOKS)) {
    const url = `${receiver.hookUrl}/${name}`;
    await post("/api/v1/webhooks", { name, url, events, secret: SIGNING_SECRET, retries: 10 });
  }
  await post("/api/v1/itsm/sla-policies", {
    name: "Quick",
    entity: "incident",
    targets: [
      { metric: "response", minutes: 0.03 },
      { metric: "resolution", minutes: 0.06 },
    ],
  });
  const deployed = async (definition: object): Promise<string> => {
    const { id } = await post("/api/v1/workflows", definition);
    await post(`/api/v1/workflows/${id}/publish`, {}, 200);
    return id;
  };
  const reaction = { type: "event_bus", topic: "orders", eventType: "order.placed" };
  const { id: job } = await post("/api/v1/sdk/scheduled-jobs", {
    name: "minutely",
    moduleKey: "proof",
    status: "active",
    detail: { cron: "* * * * *", scriptSource: MINUTELY },
  });
  return {
    reacting: await deployed(
      counting("Reacting", reaction, "{{ trigger.event.data.n }}", receiver),
    ),
    asked: await deployed(counting("Asked", { type: "manual" }, "{{ trigger.input.n }}", receiver)),
    timed: await deployed({
      name: "Timed",
      trigger: { type: "schedule", cron: "*/2 * * * * *" },
      nodes: [
        { id: "keep", type: "set", config: { values: { at: "{{ trigger.scheduledFor }}" } } },
      ],
      edges: [],
    }),
    job,
  };
}

/** Switches off everything that runs automatically, so that the work ends. */
export async function retire(client: Client, { timed, job }: Furniture): Promise<void> {
  const post = poster(client);
  await post(`/api/v1/workflows/${timed}/deactivate`, {}, 200);
  await client.act({
    id: "furniture-job",
    route: `PATCH /api/flowsdk/artifacts/${job}`,
    body: { status: "disabled" },
    status: 200,
  });
}

/** Its external effect is deduplicated by its due time, so repetitions are harmless. */
const MINUTELY = `
  await context.events.publish("ticks", { type: "tick.told", payload: { dueAt: input.dueAt }, deduplicationKey: input.dueAt });
  return { dueAt: input.dueAt };`;

/** An external call, two computations on its response, a record, and a response. */
function counting(name: string, trigger: object, n: string, { stepUrl }: Receiver) {
  return {
    name,
    trigger,
    nodes: [
      {
        id: "call",
        type: "http",
        timeoutMs: 60_000,
        config: { method: "POST", url: stepUrl, body: { n } },
      },
      {
        id: "keep",
        type: "set",
        config: { values: { n, twice: "{{ steps.call.output.body.twice }}" } },
      },
      {
        id: "add",
        type: "script",
        // A busy machine may not start a script in time, so it is retried.
        timeoutMs: 120_000,
        retry: { maxAttempts: 10, backoffMs: 500, strategy: "fixed" },
        config: {
          source: "const { n, twice } = input.steps.keep.output; return { sum: n + twice };",
        },
      },
      {
        id: "receipt",
        type: "records",
        config: { operation: "create", table: "receipts", data: { n, run: "{{ run.id }}" } },
      },
      { id: "answer", type: "respond", config: { body: "{{ steps.add.output }}" } },
    ],
    edges: [
      { from: "call", to: "keep" },
      { from: "keep", to: "add" },
      { from: "add", to: "receipt" },
      { from: "receipt", to: "answer" },
    ],
  };
}

/** Creates resources one by one, each with a unique id. */
function poster(client: Client) {
  let made = 0;
  return async (path: string, body: object, status = 201): Promise<{ readonly id: string }> => {
    made += 1;
    const id = `furniture-${path.split("/").at(-1)}-${made}`;
    const act = await client.act({ id, route: `POST ${path}`, body, status });
    if (!act) throw new Error(`${path} could not be made.`);
    return act.data as { id: string };
  };
}
