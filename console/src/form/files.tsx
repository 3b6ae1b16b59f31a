import { X } from "lucide-react";
import { useState } from "react";
import { type FieldProps, useForm } from "./context.ts";
import { isEmpty, typeOf } from "./schema.ts";

const FILES_MAX = 10;

/** Files by name: a picture's preview would need `blob:` in the policy. A phone offers its camera. */
export function Files({ id, schema, value, isDisabled, describedBy, onChange }: FieldProps) {
  const { upload } = useForm();
  const [pending, setPending] = useState(0);
  const [problem, setProblem] = useState<string>();
  const isMany = typeOf(schema) === "array";
  const names = isEmpty(value) ? [] : ([value].flat() as readonly string[]);
  const max = isMany ? (schema.maxItems ?? FILES_MAX) : 1;
  const accept = schema.items?.["x-file"] ?? schema["x-file"];
  const take = async (files: FileList | null): Promise<void> => {
    const chosen = [...(files ?? [])].slice(0, max - names.length);
    setPending(chosen.length);
    setProblem(undefined);
    try {
      const sent = await Promise.all(
        chosen.map((file) => upload?.(file) ?? Promise.resolve(file.name)),
      );
      onChange(isMany ? [...names, ...sent] : sent[0]);
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error));
    } finally {
      setPending(0);
    }
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
      {names.map((name, n) => (
        <span key={name} className="form-file">
          <span className="cut">{name}</span>
          <button
            type="button"
            aria-label={`Remove ${name}`}
            disabled={isDisabled}
            onClick={() => onChange(isMany ? names.toSpliced(n, 1) : undefined)}
          >
            <X className="ico" />
          </button>
        </span>
      ))}
      {names.length < max && (
        <label className="btn form-add">
          {pending > 0
            ? "Sending…"
            : accept?.startsWith("image")
              ? "Choose a picture"
              : "Choose a file"}
          <input
            id={`${id}-input`}
            className="hide"
            type="file"
            accept={accept}
            multiple={isMany}
            disabled={isDisabled || pending > 0}
            aria-describedby={describedBy}
            onChange={({ target }) => void take(target.files)}
          />
        </label>
      )}
      {problem !== undefined && <p className="form-error">{problem}</p>}
    </div>
  );
}
