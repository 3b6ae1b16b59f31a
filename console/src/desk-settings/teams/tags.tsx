import { Link } from "@tanstack/react-router";
import { Pencil, Trash2 } from "lucide-react";
import { useState } from "react";
import { useOp } from "../../data/api.ts";
import { useForm } from "../../data/form/use-form.ts";
import { useRefusal } from "../../data/people.ts";
import { useCommand } from "../../data/use-command.ts";
import { CommandButton } from "../../ui/form/command-button.tsx";
import { Empty, ErrorNotice, Loading } from "../../ui/feedback.tsx";
import { FormDialog } from "../../ui/form/form-dialog.tsx";
import { TextField } from "../../ui/form/text-field.tsx";
import { count } from "../../ui/words.ts";
import { Button } from "../../ui/form/button.tsx";

const SHOWN = 100;

/** The tags in use: each links to its tickets, and can be renamed, merged or removed. */
export function TagSettings() {
  const { data, error, isPending, refetch } = useOp("tickets.list_tags", {
    query: { limit: SHOWN },
  });
  const refusal = useRefusal("tickets.bulk");
  const [tag, setTag] = useState<string>();
  const tags = data?.data.tags ?? [];
  return (
    <div className="settings-scroll scroll">
      {error && <ErrorNotice error={error} retry={() => void refetch()} />}
      {isPending && <Loading rows={8} />}
      {data && tags.length === 0 && (
        <Empty title="No tags yet">Agents add tags in the details of a ticket.</Empty>
      )}
      <ul className="tag-list">
        {tags.map(({ tag: name, uses }) => (
          <li key={name} className="tag-line">
            <Link
              to="/desk"
              search={{ view: "open", only: `tag:${encodeURIComponent(name)}` }}
              className="grow cut"
            >
              {name}
            </Link>
            <span className="muted">{count(uses, "ticket")}</span>
            <Button
              look="bare"
              isIcon
              isSmall
              aria-label={`Rename or remove ${name}`}
              title={refusal ?? "Rename or remove"}
              disabled={refusal !== undefined}
              onClick={() => setTag(name)}
            >
              <Pencil />
            </Button>
          </li>
        ))}
      </ul>
      {tag !== undefined && <TagDialog tag={tag} onClose={() => setTag(undefined)} />}
    </div>
  );
}

function TagDialog({ tag, onClose }: { readonly tag: string; readonly onClose: () => void }) {
  const bulkOf = (add?: string) => ({
    select: { tags: tag },
    acts: [{ act: "tag" as const, remove: [tag], ...(add !== undefined && { add: [add] }) }],
  });
  const form = useForm("tickets.bulk", {
    initial: { name: tag },
    toBody: ({ name }: { readonly name: string }) => bulkOf(toTag(name)),
    check: ({ name }) => ({ name: toTag(name) === tag ? "is unchanged" : undefined }),
    said: ({ data }) => `${tag} renamed on ${count(data.changed, "ticket")}`,
    onDone: onClose,
  });
  const remove = useCommand("tickets.bulk", {
    said: ({ data }) => `${tag} removed from ${count(data.changed, "ticket")}`,
    onDone: onClose,
  });
  return (
    <FormDialog
      form={form}
      title={`Tag ${tag}`}
      act="Rename"
      onClose={onClose}
      others={
        <CommandButton
          command={remove}
          isDangerous
          onPress={() => void remove.run({ body: bulkOf() })}
        >
          <Trash2 /> Remove from all tickets
        </CommandButton>
      }
    >
      <TextField
        {...form.field("name")}
        isRequired
        help="Enter the name of another tag to merge both tags. Changes at most 1,000 tickets."
      />
    </FormDialog>
  );
}

const toTag = (name: string): string => name.trim().toLowerCase().replaceAll(",", "");
