import { Siren } from "lucide-react";
import { type Schemas, useOp } from "../../data/api.ts";
import { useNames } from "../../data/names/names.ts";
import { useMay, useRefusals } from "../../data/people.ts";
import { useActions } from "../../shell/actions.ts";
import { toMoment } from "../../ui/words.ts";
import { acknowledge } from "./acknowledge.ts";
import { Button } from "../../ui/form/button.tsx";

type Page = Schemas["ListedPage"];

const READ_MAX = 5;

/** The unacknowledged pages of a ticket, with an acknowledge button. */
export function PageBanner({ ticketId }: { readonly ticketId: string }) {
  const may = useMay();
  const refusalOf = useRefusals();
  const query = { ticketId, limit: READ_MAX };
  const { data } = useOp("pages.list", { query }, { enabled: may("pages.list") });
  const open = (data?.data ?? []).filter(
    ({ state }) => state === "paging" || state === "exhausted",
  );
  const disabled = refusalOf("pages.create");
  const [first] = open;
  useActions(
    first ? [{ label: "Acknowledge page", run: () => void acknowledge(first), disabled }] : [],
  );
  return open.map((page) => (
    <div key={page.id} className="notice" role="status">
      <Siren className="ico" />
      <PageWords page={page} />
      <Button look="main" refusal={disabled} onClick={() => void acknowledge(page)}>
        Acknowledge
      </Button>
    </div>
  ));
}

function PageWords({ page: { state, userIds, updatedAt, message = "" } }: { readonly page: Page }) {
  const nameOf = useNames();
  const people = userIds.map((id) => nameOf(id) ?? "a former member").join(", ");
  const at = toMoment(Date.parse(updatedAt));
  return (
    <span className="grow">
      <strong>
        {state === "exhausted" || people === ""
          ? `Page not acknowledged, last step at ${at}`
          : `Paged ${people} at ${at}`}
      </strong>
      {message !== "" && ` · ${message}`}
    </span>
  );
}
