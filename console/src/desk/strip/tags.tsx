import { Plus, X } from "lucide-react";
import { useState } from "react";
import { useOp } from "../../data/api.ts";
import { useMay, useRefusals } from "../../data/people.ts";
import { Combobox } from "../../ui/overlay/combobox.tsx";
import { Popover } from "../../ui/overlay/popover.tsx";
import { KINDS, type Ticket, UPDATE } from "../ticket-kind.ts";
import { changeFields } from "../ticket/use-acts.ts";
import { Button, PlainButton } from "../../ui/form/button.tsx";

/** The tags of a ticket: click to remove, add existing or new ones. */
export function Tags({ ticket }: { readonly ticket: Ticket }) {
  const refusalOf = useRefusals();
  const { write } = KINDS[ticket.kind];
  const refusal = refusalOf(write);
  const set = (tags: readonly string[], said: string): void =>
    void changeFields(ticket, UPDATE[ticket.kind], { tags }, `${ticket.number}${said}`);
  const remove = (tag: string): void =>
    set(
      ticket.tags.filter((one) => one !== tag),
      `: tag ${tag} removed`,
    );
  return (
    <section className="strip-part">
      <h2 className="row">
        <span className="grow">Tags</span>
        <Popover
          label="Add tag"
          className="btn bare icon small"
          button={<Plus />}
          disabled={refusal}
        >
          {(close) => (
            <TagForm
              has={ticket.tags}
              onAdd={(tag) => {
                close();
                set([...ticket.tags, tag], `: tag ${tag} added`);
              }}
            />
          )}
        </Popover>
      </h2>
      <p className="tags">
        {ticket.tags.length === 0 && <span className="muted">No tags.</span>}
        {ticket.tags.map((tag) => (
          <span key={tag} className="chip">
            <span className="cut">{tag}</span>
            {refusal === undefined && (
              <PlainButton aria-label={`Remove tag ${tag}`} onClick={() => remove(tag)}>
                <X className="ico" />
              </PlainButton>
            )}
          </span>
        ))}
      </p>
    </section>
  );
}

interface TagFormProps {
  readonly has: readonly string[];
  readonly onAdd: (tag: string) => void;
}

function TagForm({ has, onAdd }: TagFormProps) {
  const may = useMay();
  const [tag, setTag] = useState<string>();
  const used = useOp(
    "tickets.list_tags",
    { query: { limit: 50 } },
    { enabled: may("tickets.list_tags") },
  );
  const options = (used.data?.data.tags ?? [])
    .filter((one) => !has.includes(one.tag))
    .map((one) => ({ value: one.tag, label: one.tag, about: `${one.uses} tickets` }));
  const wanted = tag?.trim().toLowerCase().replaceAll(",", "") ?? "";
  const isNew = wanted !== "" && !has.includes(wanted);
  return (
    <form
      className="small-form"
      onSubmit={(event) => {
        event.preventDefault();
        if (isNew) onAdd(wanted);
      }}
    >
      <Combobox label="Tag" options={options} value={tag} onChange={setTag} isFree />
      <Button look="main" disabled={!isNew}>
        Add
      </Button>
    </form>
  );
}
