import { type Ask, useWorld } from "#kernel/testing/world.ts";
import { useUpstream } from "./upstream.ts";

export const CONNECTORS = "/api/v1/connectors";

/** Creates a connector, and returns test helpers for it. */
export async function createConnector(
  ask: Ask,
  type: string,
  config: object,
  auth: object = { kind: "none" },
) {
  const { body, status } = await ask(`POST ${CONNECTORS}`, { name: type, type, config, auth });
  if (status !== 201) throw new Error(JSON.stringify(body));
  const path = `${CONNECTORS}/${body.data.id}`;
  return {
    id: body.data.id as string,
    body,
    invoke: (action: string, input: object, more: object = {}) =>
      ask(`POST ${path}/invoke`, { action, input, ...more }),
    test: async () => (await ask(`POST ${path}/test`)).body.data,
  };
}

/** A world for tests of HTTP connectors, with an upstream server. */
export async function useHttpConnectors() {
  const upstream = await useUpstream();
  const world = await useWorld({ env: upstream.env });
  const owner = await world.member(["owner"]);
  return {
    upstream,
    world,
    owner,
    create: async (config: object = {}, auth?: object): Promise<string> => {
      const base = { baseUrl: `${upstream.url}/api`, retries: 0 };
      return (await createConnector(owner, "http", { ...base, ...config }, auth)).id;
    },
    request: (id: string, input: object = {}, headers: Record<string, string> = {}) =>
      owner(`POST ${CONNECTORS}/${id}/invoke`, { action: "request", input }, headers),
  };
}
