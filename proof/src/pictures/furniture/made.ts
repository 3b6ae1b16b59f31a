import { type Answer, type Ask, dataOf } from "../../faults/asker.ts";

export type Id = { readonly id: string };

/** The result of a creating request. */
export const made = <T = Id>(answer: Answer): T => dataOf<T>(answer, 201);

/** Creates a resource by a POST to an API path. */
export async function make<T = Id>(ask: Ask, path: string, body: object = {}): Promise<T> {
  return made<T>(await ask(`POST /api/v1/${path}`, { body }));
}

/** Changes an existing resource. */
export async function change(ask: Ask, route: string, body: object = {}): Promise<void> {
  const [method = "", path = ""] = route.split(" ");
  const answer = await ask(`${method} /api/v1/${path}`, { body });
  if (answer.status < 200 || answer.status > 202) dataOf(answer, 200);
}
