import { call, type Schemas } from "../../data/api.ts";
import { notify, notifyError } from "../../ui/toast.tsx";

/** Acknowledges a page: nobody else is paged about its ticket. */
export async function acknowledge({
  id,
  ticket,
}: Pick<Schemas["ListedPage"], "id" | "ticket">): Promise<void> {
  try {
    await call("pages.acknowledge", { params: { id } });
    notify(`You acknowledged the page about ${ticket.number}.`);
  } catch (error) {
    notifyError(error);
  }
}
