/** Of one picture: a camera's have 12 to 50 million, and each takes four bytes while it is made small. */
export const PIXELS_MAX = 50_000_000;
/** Of the file that a picture is in. */
export const PICTURE_BYTES_MAX = 32 * 1024 * 1024;

export interface PictureTask {
  readonly bytes: Uint8Array;
  /** The longest that it may be on either side. */
  readonly edge: number;
}
