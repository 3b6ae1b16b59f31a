import { X } from "lucide-react";
import { useState } from "react";
import { uploadFile } from "../../data/files/files.ts";
import { useUpload } from "../../data/files/use-upload.ts";
import type { FieldProps } from "../../ui/form/binding.ts";
import { PlainButton } from "../../ui/form/button.tsx";
import { FileInput } from "../../ui/form/controls.tsx";
import { FieldFrame, framed } from "../../ui/form/field-frame.tsx";

const FILES_MAX = 10;

/** Files that are uploaded immediately and attached once the ticket exists. The value is their ids. */
export function FilesField(props: FieldProps<readonly string[]>) {
  const { onChange } = props;
  const ids = props.value ?? [];
  const [names, setNames] = useState<ReadonlyMap<string, string>>(new Map());
  const { send, isBusy, problem } = useUpload(uploadFile);
  const add = async (chosen: readonly File[]): Promise<void> => {
    const sent = (await send(chosen.slice(0, FILES_MAX - ids.length))) ?? [];
    setNames((old) => new Map([...old, ...sent.map(({ id, name }) => [id, name] as const)]));
    onChange([...ids, ...sent.map(({ id }) => id)]);
  };
  const field = {
    ...props,
    errorFor: (label: string) => problem ?? props.errorFor(label),
    help: isBusy ? "Uploading…" : props.help,
  };
  return (
    <FieldFrame field={framed(field)}>
      {(attributes) => (
        <>
          <FileInput
            {...attributes}
            className="field"
            multiple
            disabled={attributes.disabled || isBusy || ids.length >= FILES_MAX}
            onChange={({ target }) => {
              void add([...(target.files ?? [])]);
              target.value = "";
            }}
          />
          <p className="tags">
            {ids.map((id) => (
              <span key={id} className="chip">
                <span className="cut">{names.get(id)}</span>
                <PlainButton
                  type="button"
                  aria-label={`Remove ${names.get(id) ?? "file"}`}
                  onClick={() => onChange(ids.filter((one) => one !== id))}
                >
                  <X className="ico" />
                </PlainButton>
              </span>
            ))}
          </p>
        </>
      )}
    </FieldFrame>
  );
}
