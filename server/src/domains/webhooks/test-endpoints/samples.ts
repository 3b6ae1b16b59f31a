import type { Sample } from "#kernel/testing/samples.ts";
import type { Ask } from "#kernel/testing/world.ts";

const fields = { name: "A sample", answerStatus: 200, answerBody: "taken" };

async function made(owner: Ask) {
  const { body } = await owner("POST /api/v1/test-endpoints", fields);
  const token = (body.data.url as string).split("/").at(-1) ?? "";
  await owner(`POST /listen/${token}`, { hello: "there" });
  return { params: { id: body.data.id as string }, environmentScoped: false, token };
}

export const samples: readonly Sample[] = [
  { operation: "test_endpoints.list", arrange: async () => ({ query: { limit: "2" } }) },
  { operation: "test_endpoints.create", arrange: async () => ({ body: fields }) },
  { operation: "test_endpoints.get", arrange: made },
  {
    operation: "test_endpoints.update",
    arrange: async (owner) => ({ ...(await made(owner)), body: { ...fields, answerStatus: 500 } }),
  },
  { operation: "test_endpoints.delete", arrange: made },
  {
    operation: "test_endpoints.list_requests",
    arrange: async (owner) => ({ ...(await made(owner)), query: { limit: "2" } }),
  },
  {
    operation: "test_endpoints.receive",
    arrange: async (owner) => ({ params: { token: (await made(owner)).token } }),
  },
];
