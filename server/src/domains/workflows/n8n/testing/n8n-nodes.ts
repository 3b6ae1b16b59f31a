export const node = (name: string, type: string, parameters: object = {}, more: object = {}) => ({
  name,
  type: `n8n-nodes-base.${type}`,
  typeVersion: 1,
  position: [0, 0],
  parameters,
  ...more,
});

/** Connections from texts such as `A -> B`, `If 1 -> C`. */
export function connect(...lines: readonly string[]) {
  const connections: Record<string, { main: object[][] }> = {};
  for (const text of lines) {
    const [, from = "", output = "0", to = ""] = /^(.+?)(?: (\d))? -> (.+)$/.exec(text) ?? [];
    const { main } = (connections[from] ??= { main: [] });
    while (main.length <= Number(output)) main.push([]);
    main[Number(output)]?.push({ node: to, type: "main", index: main[Number(output)]?.length });
  }
  return connections;
}
