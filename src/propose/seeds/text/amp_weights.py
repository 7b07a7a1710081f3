for part in self.modules():
    if isinstance(part, (torch.nn.Linear, torch.nn.modules.conv._ConvNd)):
        part.to({dtype})
