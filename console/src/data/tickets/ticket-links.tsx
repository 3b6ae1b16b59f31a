import "./ticket-links.css";
import { Plus, X } from "lucide-react";
import { Link } from "@tanstack/react-router";
import { type OperationId, useOp } from "../api.ts";
import { useForm } from "../form/use-form.ts";
import { TicketField } from "../options/search-field.tsx";
import { useMay } from "../people.ts";
import { perform } from "../use-command.ts";
import { Popover } from "../../ui/overlay/popover.tsx";
import { State } from "../../ui/state.tsx";
import { toWords } from "../../ui/words.ts";
import { sendTo } from "./perform-action.ts";
import { type Kind, KINDS, kindOf, ticketPath } from "./ticket-kinds.ts";
import { Button } from "../../ui/form/button.tsx";
import { SelectField } from "../../ui/form/choice-field.tsx";
import { InlineForm } from "../../ui/form/inline-form.tsx";

interface Relation {
  readonly type: string;
  /** True for the inverse direction of a relation. */
  readonly isIn: boolean;
  readonly label: string;
}

const RELATES: Relation = { type: "relates_to", isIn: false, label: "Relates to" };
/** The relations between two tickets, in both directions. */
const RELATIONS: readonly Relation[] = [
  RELATES,
  { type: "caused_by", isIn: false, label: "Caused by" },
  { type: "caused_by", isIn: true, label: "Causes" },
  { type: "duplicates", isIn: false, label: "Duplicates" },
  { type: "duplicates", isIn: true, label: "Duplicated by" },
  { type: "blocks", isIn: false, label: "Blocks" },
  { type: "blocks", isIn: true, label: "Blocked by" },
  { type: "fixed_by", isIn: false, label: "Fixed by" },
  { type: "fixed_by", isIn: true, label: "Fixes" },
  { type: "child_of", isIn: false, label: "Child of" },
  { type: "child_of", isIn: true, label: "Parent of" },
];

const LIST = {
  incident: "incidents.list_links",
  request: "requests.list_links",
  problem: "problems.list_links",
  change: "changes.list_links",
} as const;

interface LinksProps {
  readonly ticket: { readonly kind: Kind; readonly id: string; readonly number: string };
}

/** The linked tickets, and a form to link more. */
export function TicketLinks({ ticket }: LinksProps) {
  const may = useMay();
  const { write, path } = KINDS[ticket.kind];
  const links = useOp(LIST[ticket.kind], { params: { id: ticket.number } }).data?.data ?? [];
  const refusal = may(write) ? undefined : `You need the permission ${write} to link tickets.`;
  const remove = (linkId: string, number: string): void => {
    const op = `${path}.remove_link` as "incidents.remove_link";
    void perform(
      op,
      { params: { id: ticket.id, linkId } },
      { said: `Link from ${ticket.number} to ${number} removed` },
    );
  };
  return (
    <section className="ticket-links">
      <h2 className="row">
        <span className="grow">Links</span>
        <Popover
          label="Link ticket"
          className="btn bare icon small"
          button={<Plus />}
          disabled={refusal}
        >
          {(close) => (
            <LinkForm
              ticket={ticket}
              without={[ticket.id, ...links.map((link) => link.ticket.id)]}
              onClose={close}
            />
          )}
        </Popover>
      </h2>
      {links.length === 0 && <p className="muted">No linked tickets.</p>}
      <ul className="ticket-links-list">
        {links.map(({ id, type, direction, ticket: other }) => (
          <li key={id}>
            <Link to={ticketPath(other.number)} className="ticket-link" title={other.title}>
              <span className="cut grow">
                <small className="muted">
                  {toLinkWords(type, direction)} {other.number}{" "}
                </small>
                {other.title}
              </span>
            </Link>
            <State state={other.state} />
            {refusal === undefined && (
              <Button
                look="bare"
                isIcon
                isSmall
                aria-label={`Unlink ${other.number}`}
                onClick={() => remove(id, other.number)}
              >
                <X />
              </Button>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}

function toLinkWords(type: string, direction: string): string {
  const found = RELATIONS.find((one) => one.type === type && one.isIn === (direction === "in"));
  return `${found?.label ?? toWords(type)}:`;
}

interface LinkDraft {
  /** The index of the relation in `RELATIONS`. */
  readonly at: number;
  readonly otherId: string | null;
}

interface LinkFormProps {
  readonly ticket: LinksProps["ticket"];
  readonly without: readonly string[];
  readonly onClose: () => void;
}

/** Links two tickets. An inverse relation is stored as a link of the other ticket. */
function LinkForm({ ticket, without, onClose }: LinkFormProps) {
  const form = useForm(`${KINDS[ticket.kind].path}.add_link` as "incidents.add_link", {
    params: { id: ticket.id },
    initial: { at: 0, otherId: null },
    check: ({ otherId }) => ({ otherId: otherId === null ? "is required" : undefined }),
    send: async ({ at, otherId }: LinkDraft) => {
      const { type, isIn } = RELATIONS[at] ?? RELATES;
      const [from = "", to = ""] = isIn ? [otherId, ticket.id] : [ticket.id, otherId];
      const kind = kindOf(from ?? "") ?? ticket.kind;
      const op = `${KINDS[kind].path}.add_link` as OperationId;
      return sendTo(op, from ?? "", { ticketId: to, type });
    },
    said: "Ticket linked",
    onDone: onClose,
  });
  return (
    <div className="ticket-link-form">
      <InlineForm form={form} label="Link" act="Link" isMain onClose={onClose}>
        <SelectField
          {...form.field("at")}
          label="Relation"
          isRequired
          options={RELATIONS.map(({ label }, n) => [n, label] as const)}
        />
        <TicketField {...form.field("otherId")} label="Ticket" isRequired without={without} />
      </InlineForm>
    </div>
  );
}
