export { ItemPicker } from "./item-picker.tsx";
