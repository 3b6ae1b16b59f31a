import { type ReactNode, Suspense, useState } from "react";
import { lazyDialog } from "../ui/overlay/lazy-part.tsx";
import { kindOf, type NamedFile } from "./preview-kind.ts";
import { PlainButton } from "../ui/form/button.tsx";

const FilePreview = lazyDialog(() => import("./file-preview.tsx").then((part) => part.FilePreview));

interface FileNameProps {
  readonly file: NamedFile;
  /** The download address after loading. */
  readonly link: string | undefined;
  readonly className?: string;
  readonly children: ReactNode;
}

/** The name of a file. A click opens a preview, or the file if there is no preview. */
export function FileName({ file, link, className, children }: FileNameProps) {
  const [isOpen, setOpen] = useState(false);
  const kind = kindOf(file);
  if (link === undefined) return <span className={className}>{children}</span>;
  if (kind === undefined || kind === "picture") {
    return (
      <a className={className} href={link} target="_blank" rel="noreferrer">
        {children}
      </a>
    );
  }
  return (
    <>
      <PlainButton
        type="button"
        className={className}
        title={`Preview ${file.name}`}
        aria-haspopup="dialog"
        onClick={() => setOpen(true)}
      >
        {children}
      </PlainButton>
      {isOpen && (
        <Suspense>
          <FilePreview {...{ file, kind, link }} onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  );
}
