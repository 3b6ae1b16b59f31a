import { Link } from "@tanstack/react-router";
import { useOp } from "../../data/api.ts";
import { useNames } from "../../data/names/names.ts";
import { useMay } from "../../data/people.ts";
import { toWords } from "../../ui/words.ts";
import type { Change } from "./use-change.ts";

const IMPACTS = ["", "High", "Medium", "Low"];
const ITEMS_SHOWN = 12;

/** Shows the change's people, type and configuration items. */
export function ChangeFacts({ change }: { readonly change: Change }) {
  const nameOf = useNames();
  const { type, impact, assigneeId, teamId, requestedBy, ciIds, templateId } = change;
  const rows: readonly (readonly [string, string | undefined])[] = [
    ["Type", toWords(type)],
    ["Impact", IMPACTS[impact]],
    ["Requester", nameOf(requestedBy)],
    ["Assignee", nameOf(assigneeId) ?? "Unassigned"],
    ["Team", nameOf(teamId)],
  ];
  return (
    <>
      <dl className="change-facts">
        {rows.map(([name, value]) =>
          value === undefined ? null : (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ),
        )}
        {templateId !== null && <Template id={templateId} />}
      </dl>
      {ciIds.length > 0 && (
        <section>
          <h3>Affected items</h3>
          <ul className="change-items">
            {ciIds.slice(0, ITEMS_SHOWN).map((id) => (
              <li key={id}>
                <ItemName id={id} />
              </li>
            ))}
            {ciIds.length > ITEMS_SHOWN && (
              <li className="muted">and {ciIds.length - ITEMS_SHOWN} more</li>
            )}
          </ul>
        </section>
      )}
    </>
  );
}

function Template({ id }: { readonly id: string }) {
  const template = useOp("change_templates.get", { params: { id } }).data?.data;
  return (
    <div>
      <dt>Template</dt>
      <dd>{template?.name ?? "…"}</dd>
    </div>
  );
}

/** The name of a configuration item, with a link to the map. */
function ItemName({ id }: { readonly id: string }) {
  const may = useMay();
  const isRead = may("cmdb.get_item");
  const item = useOp("cmdb.get_item", { params: { id } }, { enabled: isRead }).data?.data;
  if (!isRead) return <span className="mono muted">{id}</span>;
  return (
    <Link to="/services" search={{ item: id }} className="row">
      <span className="grow cut">{item?.name ?? "…"}</span>
      <span className="muted">{item && toWords(item.class)}</span>
    </Link>
  );
}
