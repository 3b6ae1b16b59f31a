import "./look.css";
import "../../ui/display/trial.css";
import { useState } from "react";
import { call, etagOf, type Schemas, useOp } from "../../data/api.ts";
import { describeRefusal } from "../../data/change.ts";
import { uploadFile, useFileLink } from "../../data/files/files.ts";
import { useRefusals } from "../../data/people.ts";
import { BASE_PATH, place } from "../../data/place.ts";
import { ColourInput } from "../../ui/display/colour-input.tsx";
import { ErrorNotice, Loading } from "../../ui/feedback.tsx";
import { Field } from "../../ui/field.tsx";
import { EditorForm, LineField } from "../frame/editor-form.tsx";
import { type Editor, useEditor } from "../frame/use-editor.ts";
import { CONTRAST_MIN, contrastWithWhite } from "./contrast.ts";
import { Button } from "../../ui/form/button.tsx";
import { FileInput } from "../../ui/form/controls.tsx";

const DEFAULT_ACCENT = "#0f5c7a";

interface LookDraft {
  readonly title: string;
  readonly greeting: string;
  readonly accent: string;
  readonly logoFileId: string | null;
}

/** How the portal looks, beside a picture of it. */
export function PortalLook() {
  const { data, error, refetch } = useOp("portal.get_settings");
  if (error) return <ErrorNotice error={error} retry={() => void refetch()} />;
  if (!data) return <Loading rows={6} />;
  return (
    <div className="settings-scroll scroll">
      <LookEditor look={data.data} />
    </div>
  );
}

function LookEditor({ look }: { readonly look: Schemas["PortalLook"] }) {
  const refusalOf = useRefusals();
  const editor = useEditor<LookDraft>({
    initial: {
      title: look.title ?? "",
      greeting: look.greeting ?? "",
      accent: look.accent ?? "",
      logoFileId: look.logoFileId,
    },
    revision: 0,
    stale: "portal.",
    refusal: refusalOf("portal.update_settings"),
    save: async ({ title, greeting, accent, logoFileId }) => {
      const ifMatch = etagOf("portal.get_settings");
      const text = (value: string): string | null => (value.trim() === "" ? null : value.trim());
      const body = {
        title: text(title),
        greeting: text(greeting),
        accent: text(accent),
        logoFileId,
      };
      await call("portal.update_settings", { body }, ifMatch === undefined ? {} : { ifMatch });
      return { id: "", name: "The portal" };
    },
  });
  const { draft, change, errorOf } = editor;
  const isPale = draft.accent !== "" && contrastWithWhite(draft.accent) < CONTRAST_MIN;
  return (
    <EditorForm
      title="Appearance"
      editor={editor}
      consequence=""
      aside={<LookPreview draft={draft} />}
    >
      <LineField
        label="Title"
        value={draft.title}
        onChange={(title) => change({ title })}
        error={errorOf("/title")}
        help="The name of the workspace where it is empty"
      />
      <LineField
        label="Greeting"
        value={draft.greeting}
        onChange={(greeting) => change({ greeting })}
        error={errorOf("/greeting")}
        isArea
        isOptional
      />
      <Field
        label="Colour"
        help="Of buttons and links; in the dark a lighter one is made of it"
        error={isPale ? "It must be darker: white can't be read on it." : errorOf("/accent")}
      >
        {(attributes) => (
          <ColourInput
            id={attributes.id}
            describedBy={attributes["aria-describedby"]}
            value={draft.accent}
            ours={DEFAULT_ACCENT}
            onChange={(accent) => change({ accent })}
          />
        )}
      </Field>
      <LogoField editor={editor} />
    </EditorForm>
  );
}

function LogoField({ editor }: { readonly editor: Editor<LookDraft> }) {
  const { draft, change, errorOf } = editor;
  const [error, setError] = useState<string>();
  const pick = async (file: File | undefined): Promise<void> => {
    if (!file) return;
    try {
      change({ logoFileId: (await uploadFile(file)).id });
      setError(undefined);
    } catch (refused) {
      setError(describeRefusal(refused));
    }
  };
  return (
    <Field
      label="Logo"
      help="PNG, JPEG or WebP, 28 px high"
      error={error ?? errorOf("/logoFileId")}
    >
      {(attributes) => (
        <div className="row colour-row">
          <FileInput
            {...attributes}
            accept="image/png,image/jpeg,image/webp"
            onChange={({ target }) => void pick(target.files?.[0])}
          />
          {draft.logoFileId !== null && (
            <Button type="button" onClick={() => change({ logoFileId: null })}>
              Remove
            </Button>
          )}
        </div>
      )}
    </Field>
  );
}

/** The top of the portal as it will be. */
function LookPreview({ draft }: { readonly draft: LookDraft }) {
  const logo = useFileLink(draft.logoFileId ?? undefined);
  const accent = { background: draft.accent || DEFAULT_ACCENT };
  return (
    <section className="trial" aria-label="Preview">
      <h3>Preview</h3>
      <div className="portal-sketch">
        <p className="portal-brand">
          {logo === undefined || draft.logoFileId === null ? (
            <span className="portal-mark" style={accent} aria-hidden="true" />
          ) : (
            <img src={logo} alt="Logo" />
          )}
          <strong className="cut">{draft.title || "The workspace's name"}</strong>
        </p>
        <p>{draft.greeting || "What do you need?"}</p>
        <span className="portal-box">Search or ask…</span>
        <span className="portal-button" style={accent}>
          Something is broken
        </span>
      </div>
      <a href={`${BASE_PATH}/portal/${place.workspace ?? ""}`} target="_blank" rel="noreferrer">
        Open the portal
      </a>
    </section>
  );
}
