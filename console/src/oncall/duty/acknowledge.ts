import type { Schemas } from "../../data/api.ts";
import { perform } from "../../data/use-command.ts";

/** Acknowledges a page, so that nobody else is paged about its ticket. */
export const acknowledge = ({
  id,
  ticket,
}: Pick<Schemas["ListedPage"], "id" | "ticket">): Promise<unknown> =>
  perform(
    "pages.acknowledge",
    { params: { id } },
    { said: `You acknowledged the page about ${ticket.number}.` },
  );
