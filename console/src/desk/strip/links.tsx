import { Plus, X } from "lucide-react";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { useMay } from "../../data/people.ts";
import { applyChange } from "../../data/change.ts";
import { Popover } from "../../ui/overlay/popover.tsx";
import { State } from "../../ui/state.tsx";
import { toWords } from "../../ui/words.ts";
import { refreshTickets } from "../ticket-cache.ts";
import { KINDS, kindOf, type Ticket, ticketPath, useLinks } from "../ticket-kind.ts";
import { sendTo } from "../ticket/use-acts.ts";
import { call, type Input, type OperationId } from "../../data/api.ts";

const TYPES = ["relates_to", "caused_by", "duplicates", "blocks", "fixed_by", "child_of"] as const;

/** What a ticket is linked with, and a place to link more. */
export function Links({ ticket }: { readonly ticket: Ticket }) {
  const may = useMay();
  const { write, path } = KINDS[ticket.kind];
  const links = useLinks(ticket.kind, ticket.number).data?.data ?? [];
  const refusal = may(write) ? undefined : `You may not link it (${write}).`;
  const change = (send: () => Promise<unknown>, said: string): void =>
    void applyChange({ send, said }).then(() => refreshTickets(ticket.kind));
  const remove = (linkId: string, number: string): void => {
    const op = `${path}.remove_link` as OperationId;
    const input = { params: { id: ticket.id, linkId } } as unknown as Input<OperationId>;
    change(() => call(op, input), `${ticket.number} is no longer linked with ${number}`);
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
              onLink={(number, type) => {
                close();
                change(
                  () =>
                    sendTo(`${path}.add_link` as OperationId, ticket.id, {
                      ticketId: number,
                      type,
                    }),
                  `${ticket.number} is linked with ${number}`,
                );
              }}
            />
          )}
        </Popover>
      </h2>
      {links.length === 0 && <p className="muted">None yet.</p>}
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
              <button
                className="btn bare icon small"
                aria-label={`Unlink ${other.number}`}
                onClick={() => remove(id, other.number)}
              >
                <X />
              </button>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}

function toLinkWords(type: string, direction: string): string {
  const words = toWords(type).toLowerCase();
  return direction === "in" && type !== "relates_to" ? `${words} this:` : `${words}:`;
}

function LinkForm({
  onLink,
}: {
  readonly onLink: (number: string, type: (typeof TYPES)[number]) => void;
}) {
  const [number, setNumber] = useState("");
  const [type, setType] = useState<(typeof TYPES)[number]>("relates_to");
  const wanted = number.trim().toUpperCase();
  const isKnown = kindOf(wanted) !== undefined;
  return (
    <form
      className="small-form"
      onSubmit={(event) => {
        event.preventDefault();
        if (isKnown) onLink(wanted, type);
      }}
    >
      <select
        className="field"
        aria-label="How"
        value={type}
        onChange={({ target }) => setType(target.value as (typeof TYPES)[number])}
      >
        {TYPES.map((one) => (
          <option key={one} value={one}>
            {toWords(one)}
          </option>
        ))}
      </select>
      <input
        className="field"
        aria-label="Number"
        placeholder="INC0000012"
        value={number}
        onChange={({ target }) => setNumber(target.value)}
      />
      <button className="btn main" disabled={!isKnown}>
        Link
      </button>
    </form>
  );
}
