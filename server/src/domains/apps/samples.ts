import { somebody, withApp } from "#domains/identity/mfa/testing/people.ts";
import { TEST_PASSWORD } from "#kernel/testing/database.ts";
import type { Arranged, Sample } from "#kernel/testing/samples.ts";
import type { Ask, World } from "#kernel/testing/world.ts";
import { bundle } from "./runtime/assets.ts";
import { aDefinition, browser, deploy, deployedApp, makeApp, tableOf } from "./testing/apps.ts";

const SOURCE = { name: "orders", kind: "table", config: { table: "orders" } };
const PAGE = { path: "/help", title: "Help", components: [{ type: "markdown", text: "# Help" }] };

/** Creates an app; it is the same in all environments. */
async function app(owner: Ask, more: object = {}) {
  const { id } = await makeApp(owner, more);
  return { params: { id }, environmentScoped: false };
}

async function page(owner: Ask): Promise<Arranged> {
  const { id, pages } = await makeApp(owner);
  return { params: { id, pageId: pages[0]?.id ?? "" }, environmentScoped: false };
}

async function source(owner: Ask): Promise<Arranged> {
  const { id, dataSources } = await makeApp(owner, { dataSources: [SOURCE] });
  return { params: { id, dataSourceId: dataSources[0]?.id ?? "" }, environmentScoped: false };
}

/** Deployments belong to an environment, their app does not. */
async function deployed(owner: Ask) {
  const { id, deploymentId } = await deployedApp(owner);
  return { params: { id, deploymentId } };
}

async function token(owner: Ask): Promise<Arranged> {
  const { id } = await deployedApp(owner);
  const { body } = await owner(`POST /api/v1/apps/${id}/embed-token`, { expiresIn: "1h" });
  return { params: { id, tokenId: body.data.id } };
}

/** Opens an app in a browser. */
async function opened(owner: Ask, world: World) {
  const { slug } = await deployedApp(owner);
  const params = { workspace: "default", slug };
  return { by: browser(world, owner.token), params, openParams: true };
}

function login(
  name: string,
  proofOf: (world: World) => Promise<Record<string, string>>,
  status: number,
): Sample {
  return {
    operation: "apps.login",
    name,
    async arrange(owner, world) {
      const { slug } = await deployedApp(owner);
      const body = { returnTo: `/apps/default/${slug}`, ...(await proofOf(world)) };
      return { by: browser(world), body, status };
    },
  };
}

async function guarded(world: World, code: (codes: readonly string[]) => string | undefined) {
  const person = await somebody(world);
  const sent = code((await withApp(world, person)).recoveryCodes);
  return { email: person.email, password: TEST_PASSWORD, ...(sent && { code: sent }) };
}

const admin = { email: "admin@example.com" };

async function publicApp(owner: Ask) {
  const { id } = await deployedApp(owner);
  await owner(`POST /api/v1/apps/${id}/public`);
  // The app exists in all environments.
  return { params: { id }, environmentScoped: false };
}

const publicApps: readonly Sample[] = [
  { operation: "apps.make_public", arrange: (owner) => app(owner) },
  { operation: "apps.get_public", arrange: publicApp },
  { operation: "apps.make_private", arrange: publicApp },
  {
    operation: "apps.set_domain",
    arrange: async (owner) => ({ ...(await publicApp(owner)), body: { domain: null } }),
  },
  {
    operation: "apps.prove_domain",
    arrange: async () => ({
      params: { nonce: "k7Jw0xJ3QmVbq2cX9dZrTq4Bk7Jw0xJ3" },
      openParams: true,
    }),
  },
];

const runtime: readonly Sample[] = [
  {
    operation: "apps.stream",
    arrange: async (owner, world) => {
      const table = await tableOf(owner, [{ name: "name", type: "text" }], []);
      const source = { name: "things", kind: "table", config: { table } };
      const { slug } = await deployedApp(owner, { dataSources: [source] });
      const { body } = await owner("GET /api/v1/events/topics/platform.events/events?limit=1");
      await owner(`POST /api/v1/tables/${table}/records`, { name: "One" });
      return {
        by: browser(world, owner.token),
        params: { workspace: "default", slug },
        openParams: true,
        query: { limit: "1", after: body.pagination.nextCursor },
      };
    },
  },
  { operation: "apps.open", arrange: opened },
  {
    operation: "apps.state",
    arrange: async (owner, world) => ({
      ...(await opened(owner, world)),
      body: { page: "/", inputs: { status: "open" } },
    }),
  },
  {
    operation: "apps.act",
    arrange: async (owner, world) => ({
      ...(await opened(owner, world)),
      body: { page: "/", componentId: "again", action: "/action" },
    }),
  },
  {
    operation: "apps.asset",
    arrange: async () => ({ params: { hash: bundle().hash, file: "main.ts" } }),
  },
  login("with the right password", async () => ({ ...admin, password: TEST_PASSWORD }), 303),
  login("with a wrong password", async () => ({ ...admin, password: "not the password" }), 401),
  login("without the second factor", (world) => guarded(world, () => undefined), 401),
  login("with a wrong second factor", (world) => guarded(world, () => "wrong-code"), 401),
  login("with a recovery code", (world) => guarded(world, ([first]) => first), 303),
];

const deployments: readonly Sample[] = [
  { operation: "apps.deploy", arrange: async (owner) => ({ ...(await app(owner)), body: {} }) },
  {
    operation: "apps.deploy",
    name: "what is not there",
    arrange: async (owner) => ({
      ...(await app(owner, { dataSources: [{ ...SOURCE, config: { table: "nowhere" } }] })),
      body: { notes: "Too early" },
      status: 422,
    }),
  },
  {
    operation: "apps.rollback",
    arrange: async (owner) => {
      const { params } = await deployed(owner);
      await deploy(owner, params.id);
      return {
        params: { id: params.id },
        body: { deploymentId: params.deploymentId },
        environmentScoped: false,
      };
    },
  },
  {
    operation: "apps.rollback",
    name: "to what is no longer there",
    arrange: async (owner) => {
      const slug = `fleeting_${Date.now()}`;
      const made = { name: slug, slug, columns: [{ name: "name", type: "text" }] };
      await owner("POST /api/v1/tables", made);
      const { id } = await deployedApp(owner, {
        dataSources: [{ ...SOURCE, config: { table: slug } }],
      });
      await owner(`PATCH /api/v1/apps/${id}`, { dataSources: [] });
      await deploy(owner, id);
      await owner(`DELETE /api/v1/tables/${slug}`);
      return { params: { id }, body: {}, status: 422, environmentScoped: false };
    },
  },
  {
    operation: "apps.list_deployments",
    arrange: async (owner) => ({ ...(await app(owner)), query: { limit: "2" } }),
  },
  { operation: "apps.get_deployment", arrange: deployed },
];

export const samples: readonly Sample[] = [
  { operation: "apps.list", arrange: async () => ({ query: { limit: "2", sort: "-createdAt" } }) },
  { operation: "apps.create", arrange: async () => ({ body: aDefinition() }) },
  {
    operation: "apps.schema",
    arrange: async () => ({ partitioned: false }),
  },
  { operation: "apps.get", arrange: (owner) => app(owner) },
  {
    operation: "apps.scaffold",
    async arrange(owner) {
      const slug = `scaffolded_${Date.now()}`;
      const columns = [{ name: "name", type: "text" }];
      await owner("POST /api/v1/tables", { name: slug, slug, columns });
      return { body: { table: slug } };
    },
  },
  {
    operation: "apps.preview",
    arrange: async () => {
      const { name, pages } = aDefinition();
      return { body: { definition: { name, pages, dataSources: [] }, page: "/", role: "viewer" } };
    },
  },
  { operation: "apps.stage", arrange: async () => ({ partitioned: false }) },
  { operation: "apps.errors", arrange: (owner) => app(owner) },
  {
    operation: "apps.update",
    arrange: async (owner) => ({ ...(await app(owner)), body: { description: "For packing" } }),
  },
  { operation: "apps.archive", arrange: (owner) => app(owner) },
  {
    operation: "apps.unarchive",
    arrange: async (owner) => {
      const archived = await app(owner);
      await owner(`DELETE /api/v1/apps/${archived.params.id}`);
      return archived;
    },
  },
  { operation: "apps.list_pages", arrange: (owner) => app(owner) },
  {
    operation: "apps.create_page",
    arrange: async (owner) => ({ ...(await app(owner)), body: PAGE }),
  },
  { operation: "apps.get_page", arrange: page },
  {
    operation: "apps.update_page",
    arrange: async (owner) => ({ ...(await page(owner)), body: { title: "All orders" } }),
  },
  { operation: "apps.delete_page", arrange: page },
  { operation: "apps.list_data_sources", arrange: (owner) => app(owner) },
  {
    operation: "apps.add_data_source",
    arrange: async (owner) => ({ ...(await app(owner)), body: SOURCE }),
  },
  {
    operation: "apps.update_data_source",
    arrange: async (owner) => ({ ...(await source(owner)), body: { name: "renamed" } }),
  },
  { operation: "apps.remove_data_source", arrange: source },
  ...deployments,
  {
    operation: "apps.create_embed_token",
    arrange: async (owner) => ({ ...(await app(owner)), body: { expiresIn: "1h" } }),
  },
  { operation: "apps.list_embed_tokens", arrange: (owner) => app(owner) },
  { operation: "apps.revoke_embed_token", arrange: token },
  ...publicApps,
  ...runtime,
];
