import type { Schemas } from "../../data/api.ts";
import { perform } from "../../data/use-command.ts";

/** Acknowledges a page, so that paging for its ticket stops. */
export const acknowledge = ({
  id,
  ticket,
}: Pick<Schemas["ListedPage"], "id" | "ticket">): Promise<unknown> =>
  perform(
    "pages.acknowledge",
    { params: { id } },
    { said: `Page for ${ticket.number} acknowledged.` },
  );
