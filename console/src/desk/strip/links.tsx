import { Plus, X } from "lucide-react";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { TicketCombobox } from "../../data/options/ticket-combobox.tsx";
import { useMay } from "../../data/people.ts";
import { applyChange } from "../../data/change.ts";
import { Popover } from "../../ui/overlay/popover.tsx";
import { State } from "../../ui/state.tsx";
import { toWords } from "../../ui/words.ts";
import { refreshTickets } from "../ticket-cache.ts";
import { type Kind, KINDS, kindOf, type Ticket, ticketPath, useLinks } from "../ticket-kind.ts";
import { sendTo } from "../ticket/use-acts.ts";
import { call, type Input, type OperationId } from "../../data/api.ts";
import { Button } from "../../ui/form/button.tsx";
import { Select } from "../../ui/form/controls.tsx";

interface Relation {
  readonly type: string;
  /** True of a relation that the other ticket has to this one. */
  readonly isIn: boolean;
  readonly label: string;
}

/** What one ticket can be to another, told from either end. */
const RELATIONS: readonly Relation[] = [
  { type: "relates_to", isIn: false, label: "Relates to" },
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

/** What a ticket is linked with, and a place to link more. */
export function Links({ ticket }: { readonly ticket: Ticket }) {
  const may = useMay();
  const { write, path } = KINDS[ticket.kind];
  const links = useLinks(ticket.kind, ticket.number).data?.data ?? [];
  const refusal = may(write) ? undefined : `You need the permission ${write} to link it.`;
  const change = async (send: () => Promise<unknown>, said: string): Promise<boolean> => {
    const isDone = await applyChange({ send, said });
    for (const kind of Object.keys(KINDS) as Kind[]) refreshTickets(kind);
    return isDone;
  };
  const remove = (linkId: string, number: string): void => {
    const op = `${path}.remove_link` as OperationId;
    const input = { params: { id: ticket.id, linkId } } as unknown as Input<OperationId>;
    void change(() => call(op, input), `${ticket.number} is no longer linked to ${number}`);
  };
  return (
    <section className="strip-part">
      <h2 className="row">
        <span className="grow">Links</span>
        <Popover
          label="Link a ticket"
          className="btn bare icon small"
          button={<Plus />}
          disabled={refusal}
        >
          {(close) => (
            <LinkForm
              without={[ticket.id, ...links.map((link) => link.ticket.id)]}
              onLink={async (otherId, relation) => {
                const isDone = await change(
                  () => addLink(ticket, otherId, relation),
                  "Ticket linked",
                );
                if (isDone) close();
                return isDone;
              }}
            />
          )}
        </Popover>
      </h2>
      {links.length === 0 && <p className="muted">No linked tickets.</p>}
      <ul className="strip-list">
        {links.map(({ id, type, direction, ticket: other }) => (
          <li key={id}>
            <Link to={ticketPath(other.number)} className="strip-line" title={other.title}>
              <span className="cut grow">
                <small className="muted">{toLinkWords(type, direction)} </small>
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

/** Links a ticket to another one. A relation that is told from the other end is a link of that ticket. */
function addLink(ticket: Ticket, otherId: string, { type, isIn }: Relation): Promise<unknown> {
  const [from, to] = isIn ? [otherId, ticket.id] : [ticket.id, otherId];
  const kind = kindOf(from) ?? ticket.kind;
  return sendTo(`${KINDS[kind].path}.add_link` as OperationId, from, { ticketId: to, type });
}

interface LinkFormProps {
  readonly without: readonly string[];
  readonly onLink: (otherId: string, relation: Relation) => Promise<boolean>;
}

function LinkForm({ without, onLink }: LinkFormProps) {
  const [otherId, setOtherId] = useState<string>();
  const [at, setAt] = useState(0);
  const relation = RELATIONS[at];
  return (
    <form
      className="small-form"
      onSubmit={(event) => {
        event.preventDefault();
        if (otherId === undefined || !relation) return;
        void onLink(otherId, relation).then((isDone) => isDone && setOtherId(undefined));
      }}
    >
      <Select
        aria-label="Relation"
        value={at}
        onChange={({ target }) => setAt(Number(target.value))}
      >
        {RELATIONS.map(({ label }, n) => (
          <option key={label} value={n}>
            {label}
          </option>
        ))}
      </Select>
      <TicketCombobox label="Ticket" without={without} value={otherId} onChange={setOtherId} />
      <Button look="main" disabled={otherId === undefined}>
        Link
      </Button>
    </form>
  );
}
