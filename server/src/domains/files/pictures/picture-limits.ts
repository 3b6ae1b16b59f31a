/** The maximum pixels of an image: cameras have 12 to 50 million, and each needs four bytes during scaling. */
export const PIXELS_MAX = 50_000_000;
/** The maximum size of an image file. */
export const PICTURE_BYTES_MAX = 32 * 1024 * 1024;

export interface PictureTask {
  readonly bytes: Uint8Array;
  /** The maximum length of either side. */
  readonly edge: number;
}
