import { X } from "lucide-react";
import { useState } from "react";
import { useUpload } from "../data/files/use-upload.ts";
import { type FieldProps, useForm } from "./context.ts";
import { isEmpty, typeOf } from "./schema.ts";
import { PlainButton } from "../ui/form/button.tsx";
import { FileInput } from "../ui/form/controls.tsx";

const FILES_MAX = 10;

/**
 * A file field showing names: image previews would need `blob:` in the content security policy. Phones offer the
 * camera.
 */
export function Files({ id, schema, value, isDisabled, describedBy, onChange }: FieldProps) {
  const { upload } = useForm();
  const { send, isBusy, problem } = useUpload(
    (file) => upload?.(file) ?? Promise.resolve(file.name),
  );
  const isMany = typeOf(schema) === "array";
  const ids = isEmpty(value) ? [] : ([value].flat() as readonly string[]);
  const [names, setNames] = useState<ReadonlyMap<string, string>>(new Map());
  const max = isMany ? (schema.maxItems ?? FILES_MAX) : 1;
  const accept = (schema.items ?? schema)["x-accept"]?.join(",");
  const take = async (files: FileList | null): Promise<void> => {
    const chosen = [...(files ?? [])].slice(0, max - ids.length);
    const sent = await send(chosen);
    if (!sent) return;
    setNames(new Map([...names, ...sent.map((id, n) => [id, chosen[n]?.name ?? id] as const)]));
    onChange(isMany ? [...ids, ...sent] : sent[0]);
  };
  return (
    <div
      className="form-files"
      onDragOver={(event) => event.preventDefault()}
      onDrop={(event) => {
        event.preventDefault();
        void take(event.dataTransfer.files);
      }}
    >
      {ids.map((file, n) => (
        <span key={file} className="form-file">
          <span className="cut">{names.get(file) ?? file}</span>
          <PlainButton
            type="button"
            aria-label={`Remove ${names.get(file) ?? file}`}
            disabled={isDisabled}
            onClick={() => onChange(isMany ? ids.toSpliced(n, 1) : undefined)}
          >
            <X className="ico" />
          </PlainButton>
        </span>
      ))}
      {ids.length < max && (
        <label className="btn form-add">
          {isBusy ? "Uploading…" : accept?.startsWith("image") ? "Select image" : "Select file"}
          <FileInput
            id={`${id}-input`}
            className="hide"
            accept={accept}
            multiple={isMany}
            disabled={isDisabled || isBusy}
            aria-describedby={describedBy}
            onChange={({ target }) => void take(target.files)}
          />
        </label>
      )}
      {problem !== undefined && <p className="form-error">{problem}</p>}
    </div>
  );
}
