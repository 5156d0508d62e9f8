//! Memory in several pieces, as one stream.

/// What [`super::Session::unwrap`] reads.
pub enum Input<'a, 'b> {
    /// Regions that stay as they are.
    Keep(&'b [&'a [u8]]),
    /// Regions that may be overwritten: where the outputs leave a record no room, it is decrypted in its own.
    Overwrite(&'b mut [&'a mut [u8]]),
}

/// The input of a call, and how far it was read.
pub(super) struct Source<'a, 'b> {
    input: Input<'a, 'b>,
    region: usize,
    offset: usize,
    pub consumed: usize,
}

impl<'a, 'b> Source<'a, 'b> {
    pub(super) fn new(input: Input<'a, 'b>) -> Self {
        let mut source = Self { input, region: 0, offset: 0, consumed: 0 };
        source.skip_empty();
        source
    }

    fn get(&self, index: usize) -> Option<&[u8]> {
        match &self.input {
            Input::Keep(regions) => regions.get(index).copied(),
            Input::Overwrite(regions) => regions.get(index).map(|region| &**region),
        }
    }

    fn skip_empty(&mut self) {
        while self.get(self.region).is_some_and(|region| self.offset >= region.len()) {
            self.region += 1;
            self.offset = 0;
        }
    }

    /// Copies up to `room` bytes without consuming them, and gives how many there were.
    pub(super) fn copy_to(&self, room: &mut [u8]) -> usize {
        let (mut index, mut offset, mut copied) = (self.region, self.offset, 0);
        while copied < room.len() {
            let Some(region) = self.get(index) else { break };
            let part = &region[offset..];
            let count = part.len().min(room.len() - copied);
            room[copied..copied + count].copy_from_slice(&part[..count]);
            copied += count;
            (index, offset) = (index + 1, 0);
        }
        copied
    }

    /// Bytes that are left.
    pub(super) fn left(&self) -> usize {
        let mut total = 0;
        let mut index = self.region;
        while let Some(region) = self.get(index) {
            total += region.len();
            index += 1;
        }
        total - self.offset
    }

    pub(super) fn advance(&mut self, count: usize) {
        self.consumed += count;
        let mut left = count;
        while left > 0 {
            let Some(region) = self.get(self.region) else { break };
            let step = left.min(region.len() - self.offset);
            left -= step;
            self.offset += step;
            self.skip_empty();
        }
        self.skip_empty();
    }

    /// The next `length` bytes, if they lie in one region.
    #[inline]
    pub(super) fn contiguous(&self, length: usize) -> Option<&[u8]> {
        self.get(self.region)?.get(self.offset..self.offset + length)
    }

    /// Where the next `length` bytes can be overwritten, if they lie in one such region.
    pub(super) fn in_place(&mut self, length: usize) -> Option<&mut [u8]> {
        match &mut self.input {
            Input::Keep(_) => None,
            Input::Overwrite(regions) => regions.get_mut(self.region)?.get_mut(self.offset..self.offset + length),
        }
    }

    /// Appends the next `length` bytes to a buffer, and consumes them.
    pub(super) fn append_to(&mut self, buffer: &mut Vec<u8>, length: usize) {
        let mut left = length;
        while left > 0 {
            let Some(region) = self.get(self.region) else { break };
            let part = &region[self.offset..];
            let count = part.len().min(left);
            buffer.extend_from_slice(&part[..count]);
            left -= count;
            self.advance(count);
        }
    }
}

/// The outputs of a call, and how far they are written.
pub(super) struct Target<'a, 'b> {
    regions: &'b mut [&'a mut [u8]],
    region: usize,
    offset: usize,
    room: usize,
    pub produced: usize,
}

impl<'a, 'b> Target<'a, 'b> {
    pub(super) fn new(regions: &'b mut [&'a mut [u8]]) -> Self {
        let room = regions.iter().map(|region| region.len()).sum();
        Self { regions, region: 0, offset: 0, room, produced: 0 }
    }

    /// Bytes that fit yet.
    pub(super) fn room(&self) -> usize {
        self.room
    }

    /// Room for `length` bytes in one region, where the next bytes go.
    #[inline]
    pub(super) fn contiguous(&mut self, length: usize) -> Option<&mut [u8]> {
        while self.regions.get(self.region).is_some_and(|region| self.offset >= region.len()) {
            (self.region, self.offset) = (self.region + 1, 0);
        }
        self.regions.get_mut(self.region)?.get_mut(self.offset..self.offset + length)
    }

    /// Takes note of bytes that were written to [`Self::contiguous`].
    #[inline]
    pub(super) fn advance(&mut self, count: usize) {
        self.offset += count;
        self.produced += count;
        self.room -= count;
    }

    /// Writes what fits, and gives how much that was.
    pub(super) fn put(&mut self, bytes: &[u8]) -> usize {
        let mut left = bytes;
        while !left.is_empty() {
            let Some(region) = self.regions.get_mut(self.region) else { break };
            let part = &mut region[self.offset..];
            let count = part.len().min(left.len());
            part[..count].copy_from_slice(&left[..count]);
            left = &left[count..];
            self.offset += count;
            if self.offset == region.len() {
                (self.region, self.offset) = (self.region + 1, 0);
            }
        }
        let written = bytes.len() - left.len();
        self.produced += written;
        self.room -= written;
        written
    }
}

/// Sources of data that is sent.
pub(super) struct Sending<'a, 'b> {
    regions: &'b [&'a [u8]],
    region: usize,
    offset: usize,
    left: usize,
    pub consumed: usize,
}

impl<'a, 'b> Sending<'a, 'b> {
    pub(super) fn new(regions: &'b [&'a [u8]]) -> Self {
        let left = regions.iter().map(|region| region.len()).sum();
        Self { regions, region: 0, offset: 0, left, consumed: 0 }
    }

    pub(super) fn left(&self) -> usize {
        self.left
    }

    /// The next `length` bytes, at most [`Self::left`], if they lie in one region.
    #[inline]
    pub(super) fn contiguous(&mut self, length: usize) -> Option<&'a [u8]> {
        while self.regions.get(self.region).is_some_and(|region| self.offset >= region.len()) {
            (self.region, self.offset) = (self.region + 1, 0);
        }
        self.regions.get(self.region)?.get(self.offset..self.offset + length)
    }

    /// Fills `room`, of at most [`Self::left`] bytes, with the next bytes.
    pub(super) fn copy_to(&self, room: &mut [u8]) {
        let (mut index, mut offset, mut copied) = (self.region, self.offset, 0);
        while copied < room.len() {
            let Some(region) = self.regions.get(index) else { break };
            let part = &region[offset..];
            let count = part.len().min(room.len() - copied);
            room[copied..copied + count].copy_from_slice(&part[..count]);
            copied += count;
            (index, offset) = (index + 1, 0);
        }
    }

    pub(super) fn advance(&mut self, count: usize) {
        self.consumed += count;
        self.left -= count;
        let mut left = count;
        while left > 0 {
            let Some(region) = self.regions.get(self.region) else { break };
            let step = left.min(region.len() - self.offset);
            left -= step;
            self.offset += step;
            if self.offset == region.len() {
                (self.region, self.offset) = (self.region + 1, 0);
            }
        }
    }
}
