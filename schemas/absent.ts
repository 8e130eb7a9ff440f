// The number that stands for "no value" wherever an integer holds a value: decoded messages, records of the fold, columns of the view.
export const ABSENT = -0x8000_0000;
