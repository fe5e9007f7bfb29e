"""Signs of 16 by 16, drawn with one stroke width."""

from __future__ import annotations

__all__ = ["BRAND", "ICONS"]

ICONS = {
    "down": '<path d="M4.5 6.5 8 10l3.5-3.5"/>',
    "right": '<path d="M6.5 4.5 10 8l-3.5 3.5"/>',
    "search": '<circle cx="7" cy="7" r="4.2"/><path d="M10.2 10.2l3.3 3.3"/>',
    "undo": '<path d="M3 6.5h6.5a3.5 3.5 0 1 1 0 7H6"/><path d="M5.8 3.7 3 6.5l2.8 2.8"/>',
    "redo": '<path d="M13 6.5H6.5a3.5 3.5 0 1 0 0 7H10"/><path d="M10.2 3.7 13 6.5l-2.8 2.8"/>',
    "moon": '<path d="M13 9.4A5.4 5.4 0 1 1 6.6 3a4.3 4.3 0 0 0 6.4 6.4z"/>',
    "sun": '<circle cx="8" cy="8" r="2.8"/><path d="M8 1.8v1.6M8 12.6v1.6M1.8 8h1.6M12.6 8h1.6M3.6 3.6l1.1 1.1'
    'M11.3 11.3l1.1 1.1M3.6 12.4l1.1-1.1M11.3 4.7l1.1-1.1"/>',
    "download": '<path d="M8 2.5v7.5M4.8 7 8 10.2 11.2 7M3 13.2h10"/>',
    "upload": '<path d="M8 10.5V3M4.8 6 8 2.8 11.2 6M3 13.2h10"/>',
    "robot": '<path d="M3 14h6M6 14V9.5M6 9.5l4.5-5M10.5 4.5l3 3.2"/><circle cx="6" cy="9" r="1.4"/>'
    '<circle cx="10.5" cy="4.2" r="1.4"/>',
    "geometric": '<path d="M3 3v10h10M3 13l5-5"/><path d="M1.6 4.6 3 3l1.4 1.6M11.4 11.6 13 13l-1.6 1.4"/>',
    "kinematic": '<path d="M2.5 11.5a6 6 0 1 1 11 0"/><path d="M8 10.5l2.8-3.6"/><circle cx="8" cy="10.8" r=".9"/>',
    "dynamic": '<path d="M5 6h6l2 7.5H3z"/><circle cx="8" cy="4" r="2"/>',
    "identification": '<path d="M2.5 13.5V2.5M2.5 13.5h11"/><path d="M4.5 11l7.5-6.5"/>'
    '<circle cx="5.6" cy="8.3" r=".7"/><circle cx="8.6" cy="9.2" r=".7"/>'
    '<circle cx="10" cy="4.6" r=".7"/><circle cx="12.2" cy="7.4" r=".7"/>',
    "optimizer": '<path d="M2.5 4h11M4.5 8h7M6.5 12h3"/>',
    "workbench": '<path d="M5 3.2v9.6l7.6-4.8z"/>',
    "history": '<path d="M2.6 8a5.4 5.4 0 1 0 1.7-3.9L2.6 5.6M2.6 2.8v2.8h2.8"/><path d="M8 5.2V8l2 1.3"/>',
    "help": '<circle cx="8" cy="8" r="5.6"/><path d="M6.4 6.4a1.7 1.7 0 1 1 2.4 1.6c-.5.2-.8.6-.8 1.1M8 11.2v.1"/>',
    "bin": '<path d="M3 4.5h10M6 4.5V3h4v1.5M4.5 4.5l.6 8.5h5.8l.6-8.5"/>',
    "warning": '<path d="M8 2.6 14 13H2z"/><path d="M8 6.6v3M8 11.2v.1"/>',
    "drag": '<path d="M8 2v12M2 8h12M8 2 6.6 3.4M8 2l1.4 1.4M8 14l-1.4-1.4M8 14l1.4-1.4M2 8l1.4-1.4M2 8l1.4 1.4'
    'M14 8l-1.4-1.4M14 8l-1.4 1.4"/>',
    "home": '<path d="M2.8 7.4 8 3l5.2 4.4M4.4 6.4V13h7.2V6.4"/>',
    "fit": '<path d="M2.8 5.6V2.8h2.8M10.4 2.8h2.8v2.8M13.2 10.4v2.8h-2.8M5.6 13.2H2.8v-2.8"/>',
    "plus": '<path d="M8 3.5v9M3.5 8h9"/>',
    "copy": '<rect x="5.5" y="5.5" width="8" height="8" rx="1.5"/><path d="M10.5 5.5V4A1.5 1.5 0 0 0 9 2.5H4A1.5 1.5 '
    '0 0 0 2.5 4v5A1.5 1.5 0 0 0 4 10.5h1.5"/>',
    "check": '<path d="M3.2 8.4 6.4 11.6 12.8 4.8"/>',
    "cross": '<path d="M4.2 4.2l7.6 7.6M11.8 4.2l-7.6 7.6"/>',
    "file": '<path d="M4 2.5h5l3 3v8H4z"/><path d="M9 2.5v3h3"/>',
    "pause": '<path d="M5.5 3.5v9M10.5 3.5v9"/>',
    "grip": '<path d="M6 4v.1M10 4v.1M6 8v.1M10 8v.1M6 12v.1M10 12v.1"/>',
}
BRAND = (
    '<svg viewBox="0 0 24 24" fill="none"><path d="M5 20h7" stroke="var(--text-3)" stroke-width="2" '
    'stroke-linecap="round"/><path d="M8.5 19V14L15 6.5l4.5 4" stroke="var(--accent)" stroke-width="2.4" '
    'stroke-linecap="round" stroke-linejoin="round"/>'
    '<circle cx="8.5" cy="13.5" r="2.3" fill="var(--surface)" stroke="var(--accent)" '
    'stroke-width="1.8"/><circle cx="15" cy="6.3" r="2.3" fill="var(--surface)" stroke="var(--accent)" '
    'stroke-width="1.8"/></svg>'
)
