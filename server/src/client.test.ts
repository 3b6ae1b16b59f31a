import { expect, test } from "vitest";
import { ApiError, createClient, pagesOf } from "../../client/src/index.ts";
import { useWorld } from "#kernel/testing/world.ts";

const world = await useWorld();
const { token } = await world.member(["owner"]);
const baseUrl = await world.app.listen({ host: "127.0.0.1", port: 0 });
const options = { baseUrl, token, workspace: "default" };
const client = createClient(options);

test("the client calls operations by name with typed inputs and results", async () => {
  const { data } = await client.secrets.create({ body: { name: "CLIENT_KEY", value: "v" } });
  expect(data.name).toBe("CLIENT_KEY");
  const again = await client.call("secrets.get", { params: { name: "CLIENT_KEY" } });
  expect(again.data.name).toBe("CLIENT_KEY");
  expect(await client.secrets.delete({ params: { name: "CLIENT_KEY" } })).toBeUndefined();
});

test("an error response is an ApiError with its code and field errors", async () => {
  const refused = client.secrets.create({ body: { name: "not a name", value: "v" } });
  await expect(refused).rejects.toBeInstanceOf(ApiError);
  await expect(refused).rejects.toMatchObject({
    status: 422,
    code: "invalid",
    errors: [{ path: "/name" }],
  });
  const stranger = createClient({ ...options, token: "nobody" });
  await expect(stranger.secrets.list()).rejects.toMatchObject({ status: 401 });
});

test("reads a list to its end, page by page", async () => {
  for (const n of [1, 2, 3, 4, 5]) {
    await client.secrets.create({ body: { name: `PAGE_${n}`, value: "v" } });
  }
  const names: string[] = [];
  for await (const { name } of pagesOf((query) => client.secrets.list({ query }), 2)) {
    names.push(name);
  }
  expect(names).toEqual(["PAGE_1", "PAGE_2", "PAGE_3", "PAGE_4", "PAGE_5"]);
});

test("performs a retried command once", async () => {
  let calls = 0;
  const flaky: typeof fetch = async (...args) => {
    calls += 1;
    const answer = await fetch(...args);
    // The response is lost although the command was performed.
    if (calls === 1) throw new TypeError("fetch failed");
    return answer;
  };
  const patient = createClient({ ...options, fetch: flaky });
  const { data } = await patient.secrets.create({ body: { name: "ONCE", value: "v" } });
  expect([data.name, calls]).toEqual(["ONCE", 2]);
  const events = await world.sql(
    "select from events where type = 'audit.secret.created' and resource_id = 'ONCE'",
  );
  expect(events).toHaveLength(1);
});
