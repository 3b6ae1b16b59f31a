import "../../ui/display/trial.css";
import { useQuery } from "@tanstack/react-query";
import { type RefObject, useRef, useState } from "react";
import { call, type Schemas, useOp } from "../../data/api.ts";
import { describeRefusal } from "../../data/change.ts";
import { useRefusal } from "../../data/people.ts";
import { useDebounced } from "../../ui/behaviour/debounce.ts";
import { Field } from "../../ui/field.tsx";
import { EditorForm, LineField, NameField } from "../frame/editor-form.tsx";
import { Shelf, useOpen, useShelf } from "../frame/shelf.tsx";
import { TeamSelect } from "../frame/team-select.tsx";
import { SampleTicketPicker } from "../frame/ticket-picker.tsx";
import { useEditor } from "../frame/use-editor.ts";
import { matching } from "../teams/teams.tsx";
import { insertAt, PLACEHOLDERS, toKeyword } from "./placeholder.ts";
import { PlainButton } from "../../ui/form/button.tsx";
import { TextArea } from "../../ui/form/controls.tsx";

type TextModule = Schemas["ListedTextModule"];

const PAUSE_MS = 300;

export function Texts() {
  const shelf = useShelf(useOp("text_modules.list", { query: { limit: 100 } }));
  return (
    <Shelf
      label="Text modules"
      make="New text"
      refusal={useRefusal("text_modules.update")}
      nothing="A greeting, a question that is always the same, how to reset a password."
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
  const editor = useEditor({
    initial: {
      name: text?.name ?? "",
      keyword: text?.keyword ?? "",
      body: text?.body ?? "",
      teamId: text?.teamId ?? null,
    },
    revision: text?.revision,
    stale: "text_modules.",
    refusal: useRefusal("text_modules.update"),
    save: async (draft, ifMatch) => {
      const body = { ...draft, keyword: draft.keyword || toKeyword(draft.name) };
      const params = { id: text?.id ?? "" };
      return text
        ? (await call("text_modules.update", { params, body }, matching(ifMatch))).data
        : (await call("text_modules.create", { body })).data;
    },
    remove: () => call("text_modules.delete", { params: { id: text?.id ?? "" } }),
    onOpen: setOpen,
  });
  const { draft, change, errorOf } = editor;
  return (
    <EditorForm
      title={text?.name ?? "New text"}
      editor={editor}
      consequence="Macros that use it will be refused until they have another text."
      aside={<TextPreview body={draft.body} />}
    >
      <div className="editor-columns">
        <NameField {...editor} />
        <LineField
          label="Keyword"
          value={draft.keyword}
          placeholder={toKeyword(draft.name)}
          onChange={(keyword) => change({ keyword: toKeyword(keyword) })}
          error={errorOf("/keyword")}
          help="Typed behind ; in an answer"
        />
      </div>
      <Field label="Text" error={errorOf("/body")}>
        {(attributes) => (
          <TextArea
            {...attributes}
            className="text-body"
            ref={area}
            rows={9}
            value={draft.body}
            onChange={({ target }) => change({ body: target.value })}
          />
        )}
      </Field>
      <Placeholders area={area} body={draft.body} onChange={(body) => change({ body })} />
      <TeamSelect
        label="For whom"
        none="All teams"
        value={draft.teamId}
        onChange={(teamId) => change({ teamId })}
      />
    </EditorForm>
  );
}

interface PlaceholdersProps {
  readonly area: RefObject<HTMLTextAreaElement | null>;
  readonly body: string;
  readonly onChange: (body: string) => void;
}

/** Inserted where the caret is. */
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

/** The text as a caller would read it. */
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
    <section className="trial" aria-label="As the caller reads it">
      <h3>As the caller reads it</h3>
      <SampleTicketPicker label="In the ticket" value={ticketId} onChange={setTicketId} />
      {preview.error && <p className="problem">{describeRefusal(preview.error)}</p>}
      {unknown.length > 0 && (
        <p className="problem" role="status">
          Nothing fills in {unknown.map((name) => `{{${name}}}`).join(", ")}.
        </p>
      )}
      {isAsked && preview.data && <p className="text-sample">{preview.data.text}</p>}
      {!isAsked && <p className="muted">Write something, and it stands here.</p>}
    </section>
  );
}
