import "../../ui/display/trial.css";
import { useQuery } from "@tanstack/react-query";
import { type RefObject, useRef, useState } from "react";
import { call, type Schemas, useOp } from "../../data/api.ts";
import { describeRefusal } from "../../data/change.ts";
import { useForm } from "../../data/form/use-form.ts";
import { revisionOf } from "../../data/form/version.ts";
import { TeamField } from "../../data/options/search-field.tsx";
import { useRefusal } from "../../data/people.ts";
import { useDebounced } from "../../ui/behaviour/debounce.ts";
import { PlainButton } from "../../ui/form/button.tsx";
import { TextAreaField, TextField } from "../../ui/form/text-field.tsx";
import { Grid } from "../../ui/layout/layout.tsx";
import { EditorPanel } from "../frame/editor-panel.tsx";
import { Shelf, useOpen, useShelf } from "../frame/shelf.tsx";
import { SampleTicketPicker } from "../frame/ticket-picker.tsx";
import { insertAt, PLACEHOLDERS, toKeyword } from "./placeholder.ts";

type TextModule = Schemas["ListedTextModule"];

const PAUSE_MS = 300;

export function Texts() {
  const shelf = useShelf(useOp("text_modules.list", { query: { limit: 100 } }));
  return (
    <Shelf
      label="Text modules"
      make="New text module"
      refusal={useRefusal("text_modules.update")}
      nothing="Text modules are texts that agents insert in replies, for example how to reset a password."
      items={shelf.things.map(({ id, name, keyword, body }) => ({
        id,
        label: name,
        about: body,
        mark: <code className="keyword">;{keyword}</code>,
      }))}
      {...shelf.reading}
    >
      {(shelf.opened || shelf.isNew) && <TextEditor key={shelf.open} text={shelf.opened} />}
    </Shelf>
  );
}

function TextEditor({ text }: { readonly text: TextModule | undefined }) {
  const [, setOpen] = useOpen();
  const area = useRef<HTMLTextAreaElement>(null);
  const form = useForm(text ? "text_modules.update" : "text_modules.create", {
    params: { id: text?.id ?? "" },
    initial: text ?? {},
    version: revisionOf(text),
    said: ({ data }) => `${data.name} saved`,
    onDone: ({ data }) => {
      if (!text) setOpen(data.id);
    },
  });
  const { name, keyword, body } = form.values;
  const rename = (next: string | null | undefined): void => {
    // The keyword of a new text follows its name until the user edits it.
    const follows = !text && (keyword ?? "") === toKeyword(name ?? "");
    form.change({ name: next, ...(follows && { keyword: toKeyword(next ?? "") }) });
  };
  return (
    <EditorPanel
      form={form}
      thing={text}
      title={text?.name ?? "New text module"}
      remove="text_modules.delete"
      consequence="Macros that use this text module fail until you select another one."
      onRemoved={() => setOpen(undefined)}
      aside={<TextPreview body={body ?? ""} />}
    >
      <Grid min="m">
        <TextField {...form.field("name")} onChange={rename} />
        <TextField
          {...form.field("keyword")}
          onChange={(typed) => form.change({ keyword: toKeyword(typed ?? "") })}
          help="Type ; and this keyword in a reply to insert the text"
        />
      </Grid>
      <TextAreaField {...form.field("body")} label="Text" rows={9} areaRef={area} />
      <Placeholders
        area={area}
        body={body ?? ""}
        onChange={(next) => form.change({ body: next })}
      />
      <TeamField {...form.field("teamId")} label="Team" placeholder="All teams" />
    </EditorPanel>
  );
}

interface PlaceholdersProps {
  readonly area: RefObject<HTMLTextAreaElement | null>;
  readonly body: string;
  readonly onChange: (body: string) => void;
}

/** Inserts placeholders at the caret. */
function Placeholders({ area, body, onChange }: PlaceholdersProps) {
  return (
    <div className="placeholders" role="group" aria-label="Insert">
      {PLACEHOLDERS.map(([name, label]) => (
        <PlainButton
          key={name}
          type="button"
          className="chip"
          title={`{{${name}}}`}
          onClick={() => {
            const at = area.current?.selectionStart ?? body.length;
            onChange(insertAt(body, at, `{{${name}}}`));
            area.current?.focus();
          }}
        >
          {label}
        </PlainButton>
      ))}
    </div>
  );
}

/** A preview of the text for a caller. */
function TextPreview({ body }: { readonly body: string }) {
  const [ticketId, setTicketId] = useState<string>();
  const shown = useDebounced(body, PAUSE_MS);
  const isAsked = ticketId !== undefined && shown.trim() !== "";
  const preview = useQuery({
    queryKey: ["text preview", ticketId, shown],
    enabled: isAsked,
    retry: false,
    queryFn: async () =>
      (await call("text_modules.preview", { body: { body: shown, ticketId: ticketId ?? "" } }))
        .data,
  });
  const unknown = preview.data?.unknown ?? [];
  return (
    <section className="trial" aria-label="Preview">
      <h3>Preview</h3>
      <SampleTicketPicker label="Ticket" value={ticketId} onChange={setTicketId} />
      {preview.error && <p className="problem">{describeRefusal(preview.error)}</p>}
      {unknown.length > 0 && (
        <p className="problem" role="status">
          Unknown placeholders: {unknown.map((name) => `{{${name}}}`).join(", ")}.
        </p>
      )}
      {isAsked && preview.data && <p className="text-sample">{preview.data.text}</p>}
      {!isAsked && <p className="muted">Enter a text to see a preview.</p>}
    </section>
  );
}
