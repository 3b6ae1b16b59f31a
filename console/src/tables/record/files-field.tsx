/** The files of a cell: links and thumbnails, with buttons to add and remove. */
import { FileText, Paperclip, X } from "lucide-react";
import { useRef } from "react";
import { useOp } from "../../data/api.ts";
import { uploadFile, useFileLink } from "../../data/files/files.ts";
import { useWork } from "../../data/use-command.ts";
import { FileName } from "../../files/index.ts";
import type { GridColumn } from "../column/column.ts";
import { Button } from "../../ui/form/button.tsx";
import { CommandButton } from "../../ui/form/command-button.tsx";
import { FileInput } from "../../ui/form/controls.tsx";

interface FilesFieldProps {
  readonly column: GridColumn;
  readonly value: unknown;
  readonly disabled: string | undefined;
  readonly onSave: (value: unknown) => void;
}

export function FilesField({ column, value, disabled, onSave }: FilesFieldProps) {
  const ids = Array.isArray(value) ? value.map(String) : [];
  const field = useRef<HTMLInputElement>(null);
  const sending = useWork("files.upload", { refusal: disabled });
  const isImage = column.type === "image";
  const { max } = column.options;
  const isFull = typeof max === "number" && ids.length >= max;
  const add = async (files: readonly File[]): Promise<void> => {
    if (files.length === 0) return;
    await sending.run(async () => {
      const sent = await Promise.all(files.map(uploadFile));
      onSave([...ids, ...sent.map(({ id }) => id)]);
    });
  };
  return (
    <div
      className="record-files"
      onDragOver={(event) => event.preventDefault()}
      onDrop={(event) => {
        event.preventDefault();
        if (disabled === undefined) void add([...event.dataTransfer.files]);
      }}
    >
      <ul className={isImage ? "record-pictures" : undefined}>
        {ids.map((id) => (
          <FileEntry
            key={id}
            fileId={id}
            isImage={isImage}
            onRemove={
              disabled === undefined ? () => onSave(ids.filter((one) => one !== id)) : undefined
            }
          />
        ))}
      </ul>
      <FileInput
        ref={field}
        multiple
        className="sr-only"
        tabIndex={-1}
        aria-label={`Files for ${column.title}`}
        accept={isImage ? "image/png,image/jpeg,image/gif,image/webp,image/avif" : undefined}
        onChange={({ target }) => void add([...(target.files ?? [])])}
      />
      {!isFull && (
        <CommandButton command={sending} onPress={() => field.current?.click()}>
          <Paperclip /> {sending.isBusy ? "Uploading…" : isImage ? "Add images…" : "Add files…"}
        </CommandButton>
      )}
    </div>
  );
}

interface FileEntryProps {
  readonly fileId: string;
  readonly isImage: boolean;
  readonly onRemove: (() => void) | undefined;
}

function FileEntry({ fileId, isImage, onRemove }: FileEntryProps) {
  const file = useOp("files.get", { params: { id: fileId } }).data?.data;
  const link = useFileLink(fileId);
  const name = file?.name ?? "…";
  return (
    <li>
      <FileName
        file={file ?? { id: fileId, name, mediaType: "", size: 0 }}
        link={link}
        className="record-file"
      >
        {isImage && link !== undefined ? (
          <img src={link} alt={name} loading="lazy" />
        ) : (
          <>
            <FileText className="ico" /> <span className="cut">{name}</span>
          </>
        )}
      </FileName>
      {onRemove && (
        <Button look="bare" isIcon type="button" aria-label={`Remove ${name}`} onClick={onRemove}>
          <X />
        </Button>
      )}
    </li>
  );
}
