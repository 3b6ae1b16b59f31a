import { newId } from "#kernel/schema/id.ts";
import type { Sample } from "#kernel/testing/samples.ts";
import type { Ask, World } from "#kernel/testing/world.ts";

let count = 0;

async function team(owner: Ask) {
  count += 1;
  const { body } = await owner("POST /api/v1/itsm/teams", { name: `Team ${count}` });
  return { params: { id: body.data.id as string }, environmentScoped: false };
}

const own: readonly Sample[] = [
  {
    operation: "teams.list",
    arrange: async () => ({ query: { limit: "2" }, environmentScoped: false }),
  },
  {
    operation: "teams.create",
    arrange: async () => {
      count += 1;
      return { body: { name: `Team ${count}`, description: "A sample" } };
    },
  },
  { operation: "teams.get", arrange: team },
  {
    operation: "teams.update",
    arrange: async (owner) => ({ ...(await team(owner)), body: { description: "Another one" } }),
  },
  { operation: "teams.delete", arrange: team },
  { operation: "desk.get_settings", arrange: async () => ({ environmentScoped: false }) },
  {
    operation: "desk.update_settings",
    arrange: async () => {
      count += 1;
      return { body: { autoCloseDays: 10 + (count % 300) }, environmentScoped: false };
    },
  },
  {
    operation: "desk.get_kind",
    arrange: async () => ({
      params: { kind: "problem" },
      environmentScoped: false,
      partitioned: false,
      openParams: true,
    }),
  },
  {
    operation: "desk.update_kind",
    arrange: async () => {
      count += 1;
      const fields = [{ key: `sample${count}`, name: "A sample", type: "text" }];
      return {
        params: { kind: "problem" },
        body: { fields },
        environmentScoped: false,
        partitioned: false,
        openParams: true,
      };
    },
  },
  {
    operation: "desk.list_state_machines",
    arrange: async () => ({ environmentScoped: false, partitioned: false }),
  },
];

/** How to create a ticket of each kind. */
const TICKETS: Readonly<Record<string, { path: string; make: (owner: Ask) => Promise<object> }>> = {
  incidents: { path: "/api/v1/itsm/incidents", make: async () => ({ title: "A sample" }) },
  changes: { path: "/api/v1/itsm/changes", make: async () => ({ title: "A sample" }) },
  problems: { path: "/api/v1/itsm/problems", make: async () => ({ title: "A sample" }) },
  requests: {
    path: "/api/v1/catalog/requests",
    make: async (owner) => {
      count += 1;
      const item = { name: `Sample ${count}`, form: { type: "object", properties: {} } };
      const { body } = await owner("POST /api/v1/catalog/items", item);
      return { itemId: body.data.id, values: {} };
    },
  },
};

function around(plural: string, path: string, ticket: (owner: Ask) => Promise<string>): Sample[] {
  const of = async (owner: Ask) => ({ params: { id: await ticket(owner) } });
  const watched = async (owner: Ask) => {
    const { params } = await of(owner);
    const { body } = await owner(`POST ${path}/${params.id}/watchers`);
    return { params: { ...params, userId: body.data.userId as string } };
  };
  const attached = async (owner: Ask) => {
    const { params } = await of(owner);
    const file = { name: "a.log", content: "12:00 up" };
    const { body } = await owner(`POST ${path}/${params.id}/attachments`, file);
    return { params: { ...params, attachmentId: body.data.id as string } };
  };
  const timed = async (owner: Ask) => {
    const { params } = await of(owner);
    const { body } = await owner(`POST ${path}/${params.id}/times`, { minutes: 5 });
    return { params: { ...params, timeId: body.data.id as string } };
  };
  const linked = async (owner: Ask) => {
    const { params } = await of(owner);
    const link = { type: "relates_to", ticketId: await ticket(owner) };
    const { body } = await owner(`POST ${path}/${params.id}/links`, link);
    return { params: { ...params, linkId: body.data.id as string } };
  };
  return [
    {
      operation: `${plural}.add_comment`,
      arrange: async (owner) => ({ ...(await of(owner)), body: { body: "A remark" } }),
    },
    { operation: `${plural}.list_comments`, arrange: of },
    { operation: `${plural}.list_watchers`, arrange: of },
    {
      operation: `${plural}.add_watcher`,
      arrange: async (owner) => ({ ...(await of(owner)), body: {} }),
    },
    { operation: `${plural}.remove_watcher`, arrange: watched },
    {
      operation: `${plural}.add_attachment`,
      arrange: async (owner) => ({
        ...(await of(owner)),
        body: { name: "a.log", content: "12:00 up" },
      }),
    },
    { operation: `${plural}.list_attachments`, arrange: of },
    { operation: `${plural}.get_attachment`, arrange: attached },
    { operation: `${plural}.remove_attachment`, arrange: attached },
    { operation: `${plural}.list_links`, arrange: of },
    {
      operation: `${plural}.add_link`,
      arrange: async (owner) => ({
        ...(await of(owner)),
        body: { type: "relates_to", ticketId: await ticket(owner) },
      }),
    },
    { operation: `${plural}.remove_link`, arrange: linked },
    { operation: `${plural}.get_timeline`, arrange: of },
    { operation: `${plural}.list_times`, arrange: of },
    {
      operation: `${plural}.add_time`,
      arrange: async (owner) => ({ ...(await of(owner)), body: { minutes: 20, note: "A look" } }),
    },
    { operation: `${plural}.remove_time`, arrange: timed },
  ];
}

/** Tasks belong to changes and requests. */
function tasks(plural: string, path: string, ticket: (owner: Ask) => Promise<string>): Sample[] {
  const added = async (owner: Ask) => {
    const id = await ticket(owner);
    const { body } = await owner(`POST ${path}/${id}/tasks`, { title: "A sample" });
    return { params: { id, taskId: body.data.id as string } };
  };
  /** A task that blocks another task. */
  const awaited = async (owner: Ask) => {
    const { params } = await added(owner);
    const next = { title: "Then", dependsOn: [params.taskId] };
    await owner(`POST ${path}/${params.id}/tasks`, next);
    return { params };
  };
  return [
    {
      operation: `${plural}.list_tasks`,
      arrange: async (owner) => ({ params: { id: (await added(owner)).params.id } }),
    },
    {
      operation: `${plural}.add_task`,
      arrange: async (owner) => ({
        params: { id: await ticket(owner) },
        body: { title: "Check the backups", internal: false, dueAt: "2031-01-01T00:00:00Z" },
      }),
    },
    {
      operation: `${plural}.update_task`,
      arrange: async (owner) => ({ ...(await added(owner)), body: { title: "Another one" } }),
    },
    {
      operation: `${plural}.order_tasks`,
      async arrange(owner) {
        const { params } = await added(owner);
        const { body } = await owner(`POST ${path}/${params.id}/tasks`, { title: "Second" });
        return { params: { id: params.id }, body: { taskIds: [body.data.id, params.taskId] } };
      },
    },
    { operation: `${plural}.remove_task`, arrange: awaited },
    {
      operation: `${plural}.complete_task`,
      arrange: async (owner) => ({ ...(await awaited(owner)), body: { notes: "Done" } }),
    },
    {
      operation: `${plural}.skip_task`,
      arrange: async (owner) => ({ ...(await awaited(owner)), body: { notes: "No need" } }),
    },
    {
      operation: `${plural}.reopen_task`,
      async arrange(owner) {
        const { params } = await added(owner);
        await owner(`POST ${path}/${params.id}/tasks/${params.taskId}/complete`, {});
        return { params };
      },
    },
  ];
}

/** The last task of a request with a completed run. Ending it fulfils the request. */
async function lastTask(owner: Ask, world: World) {
  const made = TICKETS["requests"];
  const { body } = await owner(`POST ${made?.path}`, await made?.make(owner));
  const { id } = body.data;
  const task = await owner(`POST ${made?.path}/${id}/tasks`, { title: "A sample" });
  // The samples execute no runs.
  await world.sql(`update catalog_requests set run_id = $2, output = '{"price":7}' where id = $1`, [
    id,
    newId("run"),
  ]);
  return { params: { id: id as string, taskId: task.body.data.id as string } };
}

const fulfilled: readonly Sample[] = [
  {
    operation: "requests.complete_task",
    name: "that is the last one",
    arrange: async (owner, world) => ({ ...(await lastTask(owner, world)), body: {} }),
  },
  {
    operation: "requests.skip_task",
    name: "that is the last one",
    arrange: async (owner, world) => ({
      ...(await lastTask(owner, world)),
      body: { notes: "No need" },
    }),
  },
  { operation: "requests.remove_task", name: "that is the last one", arrange: lastTask },
];

export const samples: readonly Sample[] = [
  ...own,
  { operation: "tasks.list", arrange: async () => ({ query: { view: "mine", ready: "true" } }) },
  ...Object.entries(TICKETS).flatMap(([plural, { path, make }]) => {
    const ticket = async (owner: Ask) => {
      const { body } = await owner(`POST ${path}`, await make(owner));
      return body.data.id as string;
    };
    const hasTasks = plural === "changes" || plural === "requests";
    return [...around(plural, path, ticket), ...(hasTasks ? tasks(plural, path, ticket) : [])];
  }),
  ...fulfilled,
];
