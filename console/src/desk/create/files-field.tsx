import { X } from "lucide-react";
import { useState } from "react";
import { describeRefusal } from "../../data/change.ts";
import { uploadFile } from "../../data/files/files.ts";
import { Field } from "../../ui/field.tsx";
import { PlainButton } from "../../ui/form/button.tsx";
import { FileInput } from "../../ui/form/controls.tsx";

const FILES_MAX = 10;

interface FilesFieldProps {
  /** Ids of uploaded files. */
  readonly value: readonly string[];
  readonly onChange: (ids: readonly string[]) => void;
}

/** Files that are uploaded immediately and attached once the ticket exists. */
export function FilesField({ value, onChange }: FilesFieldProps) {
  const [names, setNames] = useState<ReadonlyMap<string, string>>(new Map());
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<string>();
  const add = async (chosen: readonly File[]): Promise<void> => {
    setBusy(true);
    setError(undefined);
    try {
      const sent = await Promise.all(chosen.slice(0, FILES_MAX - value.length).map(uploadFile));
      setNames(new Map([...names, ...sent.map(({ id, name }) => [id, name] as const)]));
      onChange([...value, ...sent.map(({ id }) => id)]);
    } catch (refused) {
      setError(describeRefusal(refused));
    } finally {
      setBusy(false);
    }
  };
  return (
    <Field label="Files" isOptional error={error} help={isBusy ? "Uploading…" : undefined}>
      {(attributes) => (
        <>
          <FileInput
            {...attributes}
            className="field"
            multiple
            disabled={isBusy || value.length >= FILES_MAX}
            onChange={({ target }) => {
              void add([...(target.files ?? [])]);
              target.value = "";
            }}
          />
          <p className="tags">
            {value.map((id) => (
              <span key={id} className="chip">
                <span className="cut">{names.get(id)}</span>
                <PlainButton
                  type="button"
                  aria-label={`Remove ${names.get(id) ?? "file"}`}
                  onClick={() => onChange(value.filter((one) => one !== id))}
                >
                  <X className="ico" />
                </PlainButton>
              </span>
            ))}
          </p>
        </>
      )}
    </Field>
  );
}
