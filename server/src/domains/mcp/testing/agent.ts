import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import type { World } from "#kernel/testing/world.ts";

export interface AgentOptions {
  /** The user's answer to a confirmation; without it, the client does not support questions. */
  readonly confirms?: boolean;
  readonly mode?: "auto" | "legacy";
}

/** An agent by the official client, over real HTTP. */
export async function connectAgent(
  { app }: World,
  token: string,
  { confirms, mode = "auto" }: AgentOptions = {},
) {
  const { port } = app.server.address() as { port: number };
  const client = new Client(
    { name: "agent", version: "1.0.0" },
    {
      capabilities: confirms === undefined ? {} : { elicitation: {} },
      versionNegotiation: { mode },
    },
  );
  const questions: string[] = [];
  if (confirms !== undefined) {
    client.setRequestHandler("elicitation/create", ({ params }) => {
      questions.push(params.message);
      return { action: "accept" as const, content: { confirm: confirms } };
    });
  }
  const url = new URL(`http://127.0.0.1:${port}/mcp`);
  const requestInit = { headers: { authorization: `Bearer ${token}` } };
  await client.connect(new StreamableHTTPClientTransport(url, { requestInit }));
  const call = async (name: string, args: Record<string, unknown> = {}): Promise<any> => {
    const result = await client.callTool({ name, arguments: args });
    const [content] = result.content as { text: string }[];
    const text = content?.text ?? "";
    return {
      isError: result.isError === true,
      value: text.startsWith("{") ? JSON.parse(text) : text,
    };
  };
  return { client, call, questions, [Symbol.asyncDispose]: () => client.close() };
}
