import "./look.css";
import "../../ui/display/trial.css";
import { type Schemas, useOp } from "../../data/api.ts";
import { type DraftOf, useForm } from "../../data/form/use-form.ts";
import { versionOf } from "../../data/form/version.ts";
import { uploadFile, useFileLink } from "../../data/files/files.ts";
import { useUpload } from "../../data/files/use-upload.ts";
import { BASE_PATH, place } from "../../data/place.ts";
import { FormPanel } from "../../shell/form/form-panel.tsx";
import { ErrorNotice, Loading } from "../../ui/feedback.tsx";
import type { FieldBinding } from "../../ui/form/binding.ts";
import { ColourField } from "../../ui/form/pickers/colour-field.tsx";
import { FieldFrame, framed } from "../../ui/form/field-frame.tsx";
import { TextAreaField, TextField } from "../../ui/form/text-field.tsx";
import { Row } from "../../ui/layout/layout.tsx";
import { CONTRAST_MIN, contrastWithWhite } from "./contrast.ts";
import { Button } from "../../ui/form/button.tsx";
import { FileInput } from "../../ui/form/controls.tsx";

const DEFAULT_ACCENT = "#0f5c7a";

/** The appearance of the portal, with a preview. */
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

const toInitial = ({ title, greeting, accent, logoFileId }: Schemas["PortalLook"]) => ({
  title,
  greeting,
  accent,
  logoFileId,
});
type LookDraft = DraftOf<"portal.update_settings">;

const isPale = (accent: string | null | undefined): boolean =>
  !!accent && contrastWithWhite(accent) < CONTRAST_MIN;

function LookEditor({ look }: { readonly look: Schemas["PortalLook"] }) {
  const form = useForm("portal.update_settings", {
    initial: toInitial(look),
    version: versionOf("portal.get_settings", {}, ({ data }) => toInitial(data)),
    check: ({ accent }) => ({
      accent: isPale(accent) ? "is too light for white text" : undefined,
    }),
    said: "Portal settings saved",
  });
  const { values, field } = form;
  return (
    <FormPanel form={form} label="Appearance" hasTitle aside={<LookPreview draft={values} />}>
      <TextField {...field("title")} help="Default: name of the workspace" />
      <TextAreaField {...field("greeting")} />
      <ColourField
        {...field("accent")}
        label="Colour"
        standard={DEFAULT_ACCENT}
        help={
          isPale(values.accent)
            ? "White text is not readable on this colour. Select a darker one."
            : "Used for buttons and links. The dark theme uses a lighter shade."
        }
      />
      <LogoField field={field("logoFileId")} />
    </FormPanel>
  );
}

function LogoField({ field }: { readonly field: FieldBinding<string> }) {
  const { send, isBusy, problem } = useUpload(uploadFile);
  const pick = async (files: FileList | null): Promise<void> => {
    const [sent] = (await send([...(files ?? [])])) ?? [];
    if (sent) field.onChange(sent.id);
  };
  return (
    <FieldFrame
      field={framed({
        ...field,
        label: "Logo",
        help: isBusy ? "Uploading…" : "PNG, JPEG or WebP. Shown 28 px high.",
        errorFor: (label) => problem ?? field.errorFor(label),
      })}
    >
      {(attributes) => (
        <Row>
          <FileInput
            {...attributes}
            accept="image/png,image/jpeg,image/webp"
            disabled={attributes.disabled || isBusy}
            onChange={({ target }) => void pick(target.files)}
          />
          {field.value != null && (
            <Button type="button" disabled={field.isDisabled} onClick={() => field.onChange(null)}>
              Remove
            </Button>
          )}
        </Row>
      )}
    </FieldFrame>
  );
}

/** A preview of the portal's header. */
function LookPreview({ draft }: { readonly draft: LookDraft }) {
  const logo = useFileLink(draft.logoFileId ?? undefined);
  const accent = { background: draft.accent || DEFAULT_ACCENT };
  return (
    <section className="trial" aria-label="Preview">
      <h3>Preview</h3>
      <div className="portal-sketch">
        <p className="portal-brand">
          {logo === undefined || draft.logoFileId == null ? (
            <span className="portal-mark" style={accent} aria-hidden="true" />
          ) : (
            <img src={logo} alt="Logo" />
          )}
          <strong className="cut">{draft.title || "Workspace name"}</strong>
        </p>
        <p>{draft.greeting || "What do you need?"}</p>
        <span className="portal-box">Search or ask…</span>
        <span className="portal-button" style={accent}>
          Something is broken
        </span>
      </div>
      <a href={`${BASE_PATH}/portal/${place.workspace ?? ""}`} target="_blank" rel="noreferrer">
        Open portal
      </a>
    </section>
  );
}
