import { Check, Copy } from "lucide-react";
import { useState } from "react";
import { toClipboard } from "./behaviour/copy.ts";

const COPIED_MS = 1_600;

/** A text to copy: an address, a curl command or an id. */
export function CopyLine({ label, text }: { readonly label: string; readonly text: string }) {
  const [isCopied, setCopied] = useState(false);
  const copy = async (): Promise<void> => {
    if (!(await toClipboard(text))) return;
    setCopied(true);
    setTimeout(() => setCopied(false), COPIED_MS);
  };
  return (
    <div className="copy-line">
      <span className="copy-label">{label}</span>
      <div className="copy-box">
        <code tabIndex={0} role="group" aria-label={label}>
          {text}
        </code>
        <button
          type="button"
          className="btn bare icon"
          aria-label={isCopied ? "Copied" : `Copy: ${label}`}
          onClick={() => void copy()}
        >
          {isCopied ? <Check /> : <Copy />}
        </button>
      </div>
    </div>
  );
}
