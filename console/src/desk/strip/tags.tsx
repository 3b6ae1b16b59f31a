import { Plus, X } from "lucide-react";
import { useOp } from "../../data/api.ts";
import { useForm } from "../../data/form/use-form.ts";
import { useMay, useRefusals } from "../../data/people.ts";
import { PlainButton } from "../../ui/form/button.tsx";
import { InlineForm } from "../../ui/form/inline-form.tsx";
import { ComboField } from "../../ui/form/pickers/combo-field.tsx";
import { Popover } from "../../ui/overlay/popover.tsx";
import { KINDS, type Ticket, UPDATE } from "../ticket-kind.ts";
import { changeFields, etagOfTicket } from "../ticket/use-acts.ts";

/** The tags of a ticket: click to remove, add existing or new ones. */
export function Tags({ ticket }: { readonly ticket: Ticket }) {
  const refusalOf = useRefusals();
  const { write } = KINDS[ticket.kind];
  const refusal = refusalOf(write);
  const remove = (tag: string): void => {
    const tags = ticket.tags.filter((one) => one !== tag);
    const said = `${ticket.number}: tag ${tag} removed`;
    void changeFields(ticket, UPDATE[ticket.kind], { tags }, said);
  };
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
          {(close) => <TagForm ticket={ticket} onClose={close} />}
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
  readonly ticket: Ticket;
  readonly onClose: () => void;
}

interface TagDraft {
  readonly tag: string | null;
}

const toTag = (text: string | null): string => text?.trim().toLowerCase().replaceAll(",", "") ?? "";

function TagForm({ ticket: { kind, id, number, tags }, onClose }: TagFormProps) {
  const may = useMay();
  const used = useOp(
    "tickets.list_tags",
    { query: { limit: 50 } },
    { enabled: may("tickets.list_tags") },
  );
  const options = (used.data?.data.tags ?? [])
    .filter((one) => !tags.includes(one.tag))
    .map((one) => ({ value: one.tag, label: one.tag, about: `${one.uses} tickets` }));
  const form = useForm(UPDATE[kind], {
    params: { id },
    initial: { tag: null },
    version: { etag: etagOfTicket({ kind, number }) },
    check: ({ tag }) => ({
      tag: toTag(tag) === "" ? "is required" : tags.includes(toTag(tag)) ? HAS_TAG : undefined,
    }),
    toBody: ({ tag }: TagDraft) => ({ tags: [...tags, toTag(tag)] }),
    said: `${number}: tag added`,
    onDone: onClose,
  });
  return (
    <div className="small-form">
      <InlineForm form={form} label="Tag" act="Add" isMain onClose={onClose}>
        <ComboField {...form.field("tag")} label="Tag" isRequired options={options} isFree />
      </InlineForm>
    </div>
  );
}

const HAS_TAG = "The ticket already has this tag.";
