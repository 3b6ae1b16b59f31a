import { useEffect, useRef } from "react";

/** A QR code from the server, rendered inline: the content security policy does not allow `data:` images. */
export function QrCode(props: { readonly source: string; readonly className: string }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  useEffect(() => {
    void draw(props.source, canvas.current);
  }, [props.source]);
  return (
    <canvas ref={canvas} className={props.className} role="img" aria-label="QR code with the key" />
  );
}

async function draw(source: string, canvas: HTMLCanvasElement | null): Promise<void> {
  const [, base64 = ""] = source.split(",", 2);
  const bytes = Uint8Array.from(atob(base64), (letter) => letter.codePointAt(0) ?? 0);
  const bitmap = await createImageBitmap(new Blob([bytes], { type: "image/png" }));
  if (!canvas) return;
  canvas.width = bitmap.width;
  canvas.height = bitmap.height;
  canvas.getContext("2d")?.drawImage(bitmap, 0, 0);
}
