import { call } from "../data/api.ts";

const PAGE = 100;
const OPEN = new Set(["new", "in_progress", "on_hold"]);

/** Resolves the open children of a major incident one after the other; tells the numbers of those that could not be. */
export async function resolveAll(
  id: string,
  resolution: string,
  onDone: (count: number) => void,
): Promise<readonly string[]> {
  const failed: string[] = [];
  let done = 0;
  let after: string | null | undefined;
  do {
    const query = { limit: PAGE, ...(after && { after }) };
    const page = await call("incidents.list_children", { params: { id }, query });
    for (const child of page.data.filter(({ state }) => OPEN.has(state))) {
      try {
        await call("incidents.resolve", { params: { id: child.id }, body: { resolution } });
      } catch {
        failed.push(child.number);
      }
      done += 1;
      onDone(done);
    }
    after = page.pagination.nextCursor;
  } while (after);
  return failed;
}
